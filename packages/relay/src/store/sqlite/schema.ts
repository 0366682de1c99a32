// The relay's tables. A frame's bytes leave with its acknowledgement; its id stays until no replay could be accepted. A package's
// bytes leave when it is handed out; its digest stays, so that it is not handed out twice.

const first = `
CREATE TABLE accounts (
  address TEXT PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL,
  device TEXT NOT NULL,
  email TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE invitations (
  code_hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  recipient TEXT NOT NULL,
  sender TEXT NOT NULL,
  tag TEXT NOT NULL,
  packet_id TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX queue_recipient ON queue (recipient, sequence);

CREATE TABLE seen (
  sender TEXT NOT NULL,
  packet_id TEXT NOT NULL,
  digest BLOB NOT NULL,
  sent_at INTEGER NOT NULL,
  PRIMARY KEY (sender, packet_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_sent ON seen (sent_at);

CREATE TABLE pairs (
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  PRIMARY KEY (sender, recipient)
) STRICT, WITHOUT ROWID;

CREATE TABLE directory (
  address TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  statement TEXT NOT NULL,
  signature TEXT NOT NULL,
  withheld INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE packages (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL,
  digest TEXT NOT NULL,
  bytes TEXT,
  UNIQUE (address, digest)
) STRICT;
CREATE INDEX packages_unused ON packages (address, id) WHERE bytes IS NOT NULL;

CREATE TABLE blocks (
  owner TEXT NOT NULL,
  address TEXT NOT NULL,
  PRIMARY KEY (owner, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE reports (
  reporter TEXT NOT NULL,
  about TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (about, reporter)
) STRICT, WITHOUT ROWID;
`;

/** People with a passkey. A holder's key is in `accounts` once a ticket was used. */
const withPasskeys = `
CREATE TABLE holders (
  address TEXT PRIMARY KEY,
  user_handle TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  connected_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tickets (
  address TEXT PRIMARY KEY,
  code_hash TEXT NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** The latest `sent_at` of the device that holds the account, so that a copy of its folder learns that it is one. */
const withLastSent = `
ALTER TABLE accounts ADD COLUMN last_sent_at INTEGER NOT NULL DEFAULT 0;
`;

/** Ids of packets on their way to `seen`: one row for each commit, a JSON array of [sender, packet_id, digest in hex, sent_at]. */
const withRecentIds = `
CREATE TABLE recent (
  id INTEGER PRIMARY KEY,
  ids TEXT NOT NULL
) STRICT;
`;

/** Other relays (A2C-10). */
const withRelays = `
CREATE TABLE relays (
  name TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  met_at INTEGER NOT NULL,
  changed_key TEXT,
  changed_at INTEGER
) STRICT, WITHOUT ROWID;
`;

/** A database of version n has the first n of them. */
export const schemaSteps = [first, withPasskeys, withLastSent, withRecentIds, withRelays];

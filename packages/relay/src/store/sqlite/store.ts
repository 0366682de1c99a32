// The relay's store in one SQLite file. Every call is one transaction; `accept` is synced before it returns.

import { hash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { asFileError } from '@parley/protocol/sqlite-fault';
import type { Acceptance, Account, NewFrame, QueuedFrame, QueueLoad, RelayStore } from '../port.ts';
import { mostPackages } from '../../limits.ts';
import { sha256 } from '../../signatures.ts';
import { holdersOver, type Queries, returningLoads, notePair } from './registry.ts';
import { relaysOver } from './relays.ts';
import { digestOf, packetIdsOver } from './packet-ids.ts';
import { schemaSteps } from './schema.ts';

type AccountRow = Omit<Account, 'epoch'> & { counter: number; device: string };

const frameColumns =
  'sequence, recipient AS "to", sender AS "from", tag, packet_id AS packetId, sent_at AS sentAt, stored_at AS storedAt, bytes';

export function openSqliteStore(path: string): RelayStore {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
  try {
    const db = new DatabaseSync(path);
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 4000;',
    );
    return storeOver(db);
  } catch (error) {
    throw asFileError(path, error, repair);
  }
}

const repair =
  'Put back a copy of it. Without one, move it away: the relay then starts empty under its old key, and people register again.';

function migrate(db: DatabaseSync): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > schemaSteps.length)
    throw new Error(`The relay's database has schema ${version}; this Parley knows ${schemaSteps.length}. Update Parley.`);
  if (version === schemaSteps.length) return;
  db.exec(`BEGIN; ${schemaSteps.slice(version).join('')} PRAGMA user_version = ${schemaSteps.length}; COMMIT;`);
}

/** Databases of earlier versions hold these digests. */
const formerDigestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'buffer').toString('hex', 0, 16);

export function storeOver(db: DatabaseSync): RelayStore {
  migrate(db);
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    let statement = statements.get(text);
    if (!statement) statements.set(text, (statement = db.prepare(text)));
    return statement;
  };
  const transaction = <T>(work: () => T): T => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
  const whole: Queries['whole'] = async (work) => transaction(work);
  const one: Queries['one'] = (text, ...values) => sql(text).get(...values);
  const all: Queries['all'] = (text, ...values) => sql(text).all(...values);

  /** Pairs that were noted: most frames belong to one. */
  const pairs = new Set<string>();
  const notePairOnce = (from: string, to: string): void => {
    const pair = `${from} ${to}`;
    if (pairs.has(pair)) return;
    notePair(sql, from, to);
    if (pairs.size < 100_000) pairs.add(pair);
  };

  const packagesLeft = (address: string): number =>
    (one('SELECT count(*) AS n FROM packages WHERE address = ? AND bytes IS NOT NULL', address) as { n: number }).n;

  const firstPackage = (address: string) =>
    one('SELECT id, bytes FROM packages WHERE address = ? AND bytes IS NOT NULL ORDER BY id LIMIT 1', address) as
      | { id: number; bytes: string }
      | undefined;

  const ids = packetIdsOver({ sql, one, all });
  const withIds = <T>(work: () => T): T => {
    try {
      return transaction(work);
    } catch (error) {
      pairs.clear();
      ids.reload();
      throw error;
    }
  };
  /** A transaction that finds all ids, and when a device last sent, in their tables. */
  const settled = async <T>(work: () => T): Promise<T> =>
    withIds(() => {
      ids.settle();
      return work();
    });

  const acceptOne = (frame: NewFrame, judge: Parameters<RelayStore['accept']>[2]): Acceptance => {
    const { from, to, addressee = to, tag, packetId, sentAt, storedAt, bytes } = frame;
    const known = ids.known(frame);
    if (known !== undefined)
      return known === digestOf(bytes) || known === formerDigestOf(bytes) ? { repeated: true } : { refused: 'packet_id_taken' };
    const refused = judge(frame);
    if (refused) return { refused };
    ids.add(frame);
    notePairOnce(from, addressee);
    const { lastInsertRowid } = sql(
      'INSERT INTO queue (recipient, sender, tag, packet_id, sent_at, stored_at, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(to, from, tag, packetId, sentAt, storedAt, bytes);
    return { stored: { ...frame, sequence: Number(lastInsertRowid) } };
  };

  const holders = holdersOver({ sql, one, all, whole });

  return {
    ...holders.store,
    ...relaysOver({ sql, one, all, whole }),

    removeHolder: (address) => {
      pairs.clear();
      return holders.store.removeHolder(address);
    },

    accept: async (frames, acknowledged, judge) =>
      withIds(() => {
        if (acknowledged.length > 0)
          sql('DELETE FROM queue WHERE sequence IN (SELECT value FROM json_each(?))').run(
            JSON.stringify(acknowledged.map(({ sequence }) => sequence)),
          );
        ids.refresh();
        const answers = frames.map((frame) => acceptOne(frame, judge));
        ids.flush();
        return answers;
      }),

    waiting: async (to, after, { only, among }, most) => {
      const senders = among.length === 0 ? (only ? 'AND 0' : '') : `AND sender ${only ? '' : 'NOT '}IN (SELECT value FROM json_each(?))`;
      const list = among.length === 0 ? [] : [JSON.stringify(among)];
      return all(
        `SELECT ${frameColumns} FROM queue WHERE recipient = ? AND sequence > ? ${senders} ORDER BY sequence LIMIT ?`,
        to,
        after,
        ...list,
        most,
      ) as QueuedFrame[];
    },

    loads: async () =>
      all(
        'SELECT sender AS "from", recipient AS "to", tag, count(*) AS frames, sum(length(bytes)) AS bytes FROM queue GROUP BY sender, recipient, tag',
      ) as QueueLoad[],

    forget: ({ sentAt, storedAt }) =>
      settled(() => {
        sql('DELETE FROM seen WHERE sent_at < ?').run(sentAt);
        return all(`DELETE FROM queue WHERE stored_at < ? ${returningLoads}`, storedAt) as QueueLoad[];
      }),

    accounts: async () => all('SELECT address, key FROM accounts') as Account[],

    account: async (address) => {
      const text = 'SELECT address, key, email, created_at AS createdAt, epoch AS counter, device FROM accounts WHERE address = ?';
      const row = one(text, address) as AccountRow | undefined;
      if (!row) return undefined;
      const { counter, device, ...account } = row;
      return { ...account, epoch: { counter, device } };
    },

    register: (account, codeHash) =>
      settled(() => {
        const { address, key, epoch, email, createdAt } = account;
        const ticket = holders.ticket(codeHash, createdAt);
        if (ticket ? ticket.address !== address : !holders.isInvited(codeHash, createdAt)) return 'invalid_code';
        if (one('SELECT 1 FROM accounts WHERE key = ? AND address <> ?', key, address)) return 'taken';
        if (!ticket && holders.isTaken(address)) return 'taken';
        sql('DELETE FROM invitations WHERE code_hash = ?').run(codeHash);
        sql('DELETE FROM tickets WHERE code_hash = ?').run(codeHash);
        // The replaced key signed both, and the new one knows nothing of the blocks.
        for (const table of ['directory', 'packages']) sql(`DELETE FROM ${table} WHERE address = ?`).run(address);
        sql('DELETE FROM blocks WHERE owner = ?').run(address);
        sql('INSERT OR REPLACE INTO accounts (address, key, epoch, device, email, created_at) VALUES (?, ?, ?, ?, ?, ?)').run(
          address,
          key,
          epoch.counter,
          epoch.device,
          email ?? ticket?.email ?? null,
          createdAt,
        );
        return 'registered';
      }),

    lastSentAt: async (address) => {
      const row = one('SELECT last_sent_at AS at FROM accounts WHERE address = ?', address) as { at: number } | undefined;
      return Math.max(row?.at ?? 0, ids.lastSentAt(address));
    },

    setEpoch: (address, { counter, device }) =>
      settled(() => {
        sql('UPDATE accounts SET epoch = ?, device = ?, last_sent_at = 0 WHERE address = ?').run(counter, device, address);
        sql('UPDATE directory SET withheld = 1 WHERE address = ?').run(address);
        sql('DELETE FROM blocks WHERE owner = ?').run(address);
      }),

    invite: async (codeHash, expiresAt) => {
      sql('INSERT INTO invitations (code_hash, expires_at) VALUES (?, ?)').run(codeHash, expiresAt);
    },

    publish: (address, version, { statement, signature }, packages) =>
      whole(() => {
        const known = one('SELECT version, statement FROM directory WHERE address = ?', address) as
          | { version: number; statement: string }
          | undefined;
        if (known && (version < known.version || (version === known.version && statement !== known.statement))) return 'old_statement';
        // Packages of an earlier statement may belong to a device that is gone.
        if (known && version > known.version) sql('DELETE FROM packages WHERE address = ?').run(address);
        sql('INSERT OR REPLACE INTO directory (address, version, statement, signature) VALUES (?, ?, ?, ?)').run(
          address,
          version,
          statement,
          signature,
        );
        const room = mostPackages - packagesLeft(address);
        const unknown = packages.filter((bytes) => !one('SELECT 1 FROM packages WHERE address = ? AND digest = ?', address, sha256(bytes)));
        for (const bytes of unknown.slice(0, Math.max(0, room)))
          sql('INSERT OR IGNORE INTO packages (address, digest, bytes) VALUES (?, ?, ?)').run(address, sha256(bytes), bytes);
        return 'published';
      }),

    packagesLeft: async (address) => packagesLeft(address),

    lookup: (address, take) =>
      whole(() => {
        const entry = one('SELECT statement, signature FROM directory WHERE address = ? AND NOT withheld', address) as
          | { statement: string; signature: string }
          | undefined;
        if (!entry) return undefined;
        const taken = take ? firstPackage(address) : undefined;
        if (taken) sql('UPDATE packages SET bytes = NULL WHERE id = ?').run(taken.id);
        return { ...entry, package: taken?.bytes ?? null };
      }),

    setBlock: async (owner, address, blocked) => {
      const text = blocked
        ? 'INSERT OR IGNORE INTO blocks (owner, address) VALUES (?, ?)'
        : 'DELETE FROM blocks WHERE owner = ? AND address = ?';
      sql(text).run(owner, address);
    },

    blocks: async () => all('SELECT owner, address FROM blocks') as { owner: string; address: string }[],

    report: (from, about, reason, at) =>
      whole(() => {
        if (!one('SELECT 1 FROM pairs WHERE sender = ? AND recipient = ?', about, from)) return false;
        sql('INSERT OR REPLACE INTO reports (reporter, about, reason, at) VALUES (?, ?, ?, ?)').run(from, about, reason, at);
        return true;
      }),

    offenders: async (reporters, since) =>
      (all('SELECT about FROM reports WHERE at >= ? GROUP BY about HAVING count(*) >= ?', since, reporters) as { about: string }[]).map(
        ({ about }) => about,
      ),

    close: async () => db.close(),
  };
}

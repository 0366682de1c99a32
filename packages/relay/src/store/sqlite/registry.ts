// The tables of people with a passkey: the names they hold, their passkeys, and the tickets that register a key for a name.

import type { StatementSync } from 'node:sqlite';
import type { NameHolder, Passkey, QueueLoad, RelayStore, Ticket } from '../port.ts';

type Read = (text: string, ...values: (string | number)[]) => unknown;

export interface Queries {
  sql: (text: string) => StatementSync;
  one: Read;
  all: Read;
  /** Runs in one transaction. */
  whole: <T>(work: () => T) => Promise<T>;
}

type HolderStore = Pick<
  RelayStore,
  'anyAddress' | 'mayHold' | 'hold' | 'holder' | 'passkey' | 'countUse' | 'putTicket' | 'noteConnect' | 'removeHolder'
>;

/** The loads of frames that leave the queue without an acknowledgement. */
export const returningLoads = 'RETURNING sender AS "from", recipient AS "to", tag, 1 AS frames, length(bytes) AS bytes';

export function holdersOver({ sql, one, all, whole }: Queries) {
  const isInvited = (codeHash: string, now: number): boolean =>
    one('SELECT 1 FROM invitations WHERE code_hash = ? AND expires_at > ?', codeHash, now) !== undefined;

  const isTaken = (address: string): boolean =>
    one('SELECT 1 FROM accounts WHERE address = ? UNION ALL SELECT 1 FROM holders WHERE address = ?', address, address) !== undefined;

  const ticket = (codeHash: string, now: number) =>
    one(
      'SELECT address, holders.email AS email FROM tickets JOIN holders USING (address) WHERE code_hash = ? AND expires_at > ?',
      codeHash,
      now,
    ) as { address: string; email: string } | undefined;

  const mayHold = (address: string, codeHash: string, now: number): 'free' | 'taken' | 'invalid_code' => {
    if (!isInvited(codeHash, now)) return 'invalid_code';
    return isTaken(address) ? 'taken' : 'free';
  };

  const putTicket = (address: string, { codeHash, expiresAt }: Ticket): void =>
    void sql('INSERT OR REPLACE INTO tickets (address, code_hash, expires_at) VALUES (?, ?, ?)').run(address, codeHash, expiresAt);

  const store: HolderStore = {
    anyAddress: async () =>
      (one('SELECT address FROM accounts UNION ALL SELECT address FROM holders LIMIT 1') as { address: string } | undefined)?.address,

    mayHold: async (address, codeHash, now) => mayHold(address, codeHash, now),

    hold: ({ address, userHandle, email, createdAt }, { id, publicKey, counter }, codeHash, first) =>
      whole(() => {
        const result = mayHold(address, codeHash, createdAt);
        if (result !== 'free') return result;
        if (one('SELECT 1 FROM passkeys WHERE id = ?', id)) return 'taken';
        sql('DELETE FROM invitations WHERE code_hash = ?').run(codeHash);
        sql('INSERT INTO holders (address, user_handle, email, created_at) VALUES (?, ?, ?, ?)').run(address, userHandle, email, createdAt);
        sql('INSERT INTO passkeys (id, address, public_key, counter) VALUES (?, ?, ?, ?)').run(id, address, publicKey, counter);
        putTicket(address, first);
        return 'free';
      }),

    holder: async (address) =>
      one(
        'SELECT address, user_handle AS userHandle, email, created_at AS createdAt, connected_at AS connectedAt FROM holders WHERE address = ?',
        address,
      ) as NameHolder | undefined,

    passkey: async (id) =>
      one('SELECT id, address, public_key AS publicKey, counter FROM passkeys WHERE id = ?', id) as Passkey | undefined,

    countUse: async (passkeyId, counter) =>
      // Many authenticators count nothing and always say 0.
      sql('UPDATE passkeys SET counter = ?1 WHERE id = ?2 AND (counter < ?1 OR (counter = 0 AND ?1 = 0))').run(counter, passkeyId)
        .changes === 1,

    putTicket: async (address, next) => putTicket(address, next),

    noteConnect: async (address, at) => void sql('UPDATE holders SET connected_at = ? WHERE address = ?').run(at, address),

    removeHolder: (address) =>
      whole(() => {
        // Reports about them and the ids of their packets stay until they expire, so that nobody sheds reports by leaving.
        for (const table of ['holders', 'passkeys', 'tickets', 'accounts', 'directory', 'packages'])
          sql(`DELETE FROM ${table} WHERE address = ?`).run(address);
        sql('DELETE FROM pairs WHERE recipient = ?').run(address);
        sql('DELETE FROM blocks WHERE owner = ?').run(address);
        return all(`DELETE FROM queue WHERE recipient = ? ${returningLoads}`, address) as QueueLoad[];
      }),
  };
  return { isInvited, isTaken, ticket, store };
}

/** Notes who wrote first. Peers answer by themselves, so an answer gives nobody the right to report the person. */
export function notePair(sql: (text: string) => StatementSync, from: string, to: string): void {
  sql(
    'INSERT OR IGNORE INTO pairs (sender, recipient) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM pairs WHERE sender = ?2 AND recipient = ?1)',
  ).run(from, to);
}

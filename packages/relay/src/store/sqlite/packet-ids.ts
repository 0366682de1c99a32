// The IDs of stored packets, for a month (A2C-6). In `seen` each sender's ids lie together, so a commit of many senders would
// write a page for each of them. Their ids wait in `recent`, a row for each commit, and go to `seen` thousands at a time.

import type { NewFrame } from '../port.ts';
import type { Queries } from './registry.ts';

type IdRow = [sender: string, packetId: string, digest: string, sentAt: number];
/** Rows by sender, then by packet ID. */
type IdRows = Map<string, Map<string, IdRow>>;

/** A restart reads as many, and moving them takes some 15 ms. */
const mostRecent = 4096;
/** This many IDs of one sender share a page in any case. */
const enoughOfSender = 8;

/** Which bytes a packet id stands for: a retry has the same ones. The signature was verified, so it stands for all bytes before it. */
export const digestOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset + bytes.length - 16, 16).toString('hex');

/** Every call but `lastSentAt` needs a transaction; `reload` follows a rollback. */
interface StoredIds {
  /** Reads the changes of other processes; call it before `known`. */
  refresh(): void;
  /** The digest that is stored under the frame's id. */
  known(frame: NewFrame): string | undefined;
  add(frame: NewFrame): void;
  /** Writes what was added. */
  flush(): void;
  /** Moves recent ids, and when their senders last sent, to their own tables. */
  settle(): void;
  reload(): void;
  /** The highest `sentAt` of this sender's recent ids; 0 where there is none. */
  lastSentAt(sender: string): number;
}

export function packetIdsOver({ sql, one, all }: Pick<Queries, 'sql' | 'one' | 'all'>): StoredIds {
  const recent: IdRows = new Map();
  let recentSize = 0;
  let added: IdRow[] = [];
  const addedBySender: IdRows = new Map();

  const addRow = (rows: IdRows, row: IdRow): void => {
    const [sender, packetId] = row;
    let ofSender = rows.get(sender);
    if (!ofSender) rows.set(sender, (ofSender = new Map()));
    ofSender.set(packetId, row);
  };
  const latestOf = (rows: Iterable<IdRow>): number => {
    let latest = 0;
    for (const [, , , sentAt] of rows) latest = Math.max(latest, sentAt);
    return latest;
  };
  const keepRecent = (rows: readonly IdRow[]): void => {
    for (const row of rows) addRow(recent, row);
    recentSize += rows.length;
  };

  const moveToSeen = (rows: IdRows): void => {
    const insert = sql('INSERT OR IGNORE INTO seen (sender, packet_id, digest, sent_at) VALUES (?, ?, ?, ?)');
    for (const [sender, ids] of rows) {
      for (const [, packetId, digest, sentAt] of ids.values()) insert.run(sender, packetId, Buffer.from(digest, 'hex'), sentAt);
      sql('UPDATE accounts SET last_sent_at = max(last_sent_at, ?) WHERE address = ?').run(latestOf(ids.values()), sender);
    }
  };

  const clearAdded = (): void => {
    added = [];
    addedBySender.clear();
  };

  const reload = (): void => {
    clearAdded();
    recent.clear();
    recentSize = 0;
    for (const { ids } of all('SELECT ids FROM recent') as { ids: string }[]) keepRecent(JSON.parse(ids) as IdRow[]);
  };
  /** SQLite's version of the last change by another connection. */
  let version: unknown;
  const refresh = (): void => {
    const { data_version: current } = one('PRAGMA data_version') as { data_version: number };
    if (current === version) return;
    version = current;
    reload();
  };

  const settle = (): void => {
    refresh();
    if (recentSize === 0) return;
    moveToSeen(recent);
    sql('DELETE FROM recent').run();
    recent.clear();
    recentSize = 0;
  };

  return {
    refresh,

    known: ({ from, packetId }) => {
      const latest = addedBySender.get(from)?.get(packetId) ?? recent.get(from)?.get(packetId);
      if (latest) return latest[2];
      const row = one('SELECT digest FROM seen WHERE sender = ? AND packet_id = ?', from, packetId) as { digest: Uint8Array } | undefined;
      return row && digestOf(row.digest);
    },

    add: ({ from, packetId, bytes, sentAt }) => {
      const row: IdRow = [from, packetId, digestOf(bytes), sentAt];
      added.push(row);
      addRow(addedBySender, row);
    },

    flush: () => {
      if (added.length === 0) return;
      if (added.length >= enoughOfSender * addedBySender.size) moveToSeen(addedBySender);
      else {
        if (recentSize >= mostRecent) settle();
        sql('INSERT INTO recent (ids) VALUES (?)').run(JSON.stringify(added));
        keepRecent(added);
      }
      clearAdded();
    },

    settle,
    reload,
    lastSentAt: (sender) => {
      refresh();
      return latestOf(recent.get(sender)?.values() ?? []);
    },
  };
}

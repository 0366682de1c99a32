// What the backup tests share: a workspace with a bit of everything in it, and hands to break things with.

import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openExisting, type DatabaseLocation, type RowProblem, verifyWorkspace, writeBackup } from '@parley/hub';
import type { Ground, TestHub } from '@parley/testkit';
import pg from 'pg';
import { type Footer, seal } from '../../src/backup/format.ts';
import { type AnyRow, tableNames } from '../../src/store/tables.ts';

export type Dump = Record<string, AnyRow[]>;

/** Every row of every table. */
export async function dump(place: DatabaseLocation): Promise<Dump> {
  const { store } = await openExisting(place);
  try {
    const all: Dump = {};
    await store.snapshot(async (scan) => {
      for (const table of tableNames) {
        all[table] = [];
        for await (const rows of scan(table)) all[table].push(...rows.map((row) => ({ ...row })));
      }
    });
    return all;
  } finally {
    await store.close();
  }
}

export async function problemsIn(place: DatabaseLocation): Promise<RowProblem[]> {
  const source = await openExisting(place);
  const problems: RowProblem[] = [];
  try {
    await verifyWorkspace(source, (problem) => problems.push(problem));
    return problems;
  } finally {
    await source.store.close();
  }
}

/** Members, channels, edits, a deletion, a thread, reactions, attachments (one of them erased). Returns the attachment that stays. */
export async function fill(hub: TestHub): Promise<{ sha256: string; messageId: string }> {
  const general = await hub.general();
  const { owner } = hub;
  const ada = await hub.person('ada');
  await hub.agent('helper');
  const first = await owner.post(general, 'Grüße aus Köln, 東京 and «Ω» 🎉');
  await owner.call('editMessage', { params: { messageId: first.id }, body: { body: 'edited' } });
  await ada.call('addReaction', { params: { messageId: first.id, emoji: '🎉' } });
  const gone = await ada.post(general, 'to be deleted');
  await ada.call('deleteMessage', { params: { messageId: gone.id } });
  const thread = await ada.call('openThread', { params: { messageId: first.id } });
  await owner.post(thread.id, 'in a thread');
  await owner.call('openDm', { body: { memberIds: [ada.id] } });
  const kept = await attach(hub, general, 'kept.bin', Buffer.alloc(200_000, 'kept'));
  const erased = await attach(hub, general, 'erased.txt', Buffer.from('erase me'));
  await owner.call('deleteMessage', { params: { messageId: erased.messageId } });
  return kept;
}

async function attach(hub: TestHub, conversationId: string, name: string, data: Buffer): Promise<{ sha256: string; messageId: string }> {
  const response = await fetch(`${hub.url}/api/v1/attachments?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hub.owner.token}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(data),
  });
  const { id, sha256 } = (await response.json()) as { id: string; sha256: string };
  const message = await hub.owner.call('postMessage', { params: { conversationId }, body: { body: name, attachmentIds: [id] } });
  return { sha256, messageId: message.id };
}

/** Changes the database behind everyone's back. */
export async function tamper(place: DatabaseLocation, sql: string): Promise<void> {
  if (place.databaseUrl === undefined) {
    const db = new DatabaseSync(join(place.dataDir, 'parley.db'));
    // A hub of this process holds the lock until this thread lets it go on: so it is waited for here, and not inside of SQLite.
    for (let left = 500; ; left--) {
      try {
        db.exec(sql);
        break;
      } catch (error) {
        if (left === 0 || !String(error).includes('locked')) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Any line of a backup, to be bent as a test likes. */
export interface LooseLine {
  version?: number;
  schema?: number;
  t?: string;
  r?: AnyRow;
  b?: string;
  f?: string;
  size?: number;
  end?: Footer;
}

/** The backup with other lines in it, sealed again: what a bug or a forger would make. */
export async function repack(from: string, to: string, edit: (lines: LooseLine[]) => LooseLine[]): Promise<void> {
  const lines = gunzipSync(await readFile(from))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    // Without its seal and its signature.
    .filter((line) => !/^\{"(?:sha256|hmac)"/.test(line));
  const packed = gzipSync(
    edit(lines.map((line) => JSON.parse(line) as LooseLine))
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  await writeFile(to, Buffer.concat([packed, seal(createHash('sha256').update(packed).digest('hex'))]));
}

export const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true }).catch(() => [])).sort((a, b) => a.localeCompare(b));

/** A workspace that tests share is backed up from outside, as the command line does it. */
export async function backUp(place: DatabaseLocation, path: string, replace = false): ReturnType<typeof writeBackup> {
  const source = await openExisting(place);
  try {
    return await writeBackup(source, { path, now: 1_700_000_000_000, replace });
  } finally {
    await source.store.close();
  }
}

/** A folder that is not there yet, so that tests see whether one was left behind. */
export const placeOf = ({ dataDir, databaseUrl }: Ground): DatabaseLocation => ({ dataDir: join(dataDir, 'data'), databaseUrl });

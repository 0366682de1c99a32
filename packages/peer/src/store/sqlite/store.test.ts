import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Knowledge } from '../../../test/kit/knowledge.ts';
import { Line } from '../../../test/kit/line.ts';
import type { SealedSession } from '../../seal/session.ts';
import { recordKinds, VersionConflict } from '../port.ts';
import { openPeerFolder } from './peer-folder.ts';

/** So that a test waits for no guess. */
const cheap = 2 ** 4;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-peer-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const filesOf = (path = folder): Buffer => Buffer.concat(readdirSync(path).map((name) => readFileSync(join(path, name))));

/** The only record's, as it lies in the file. */
function boxIn(path: string): Buffer {
  const db = new DatabaseSync(join(path, 'peer.db'), { readOnly: true });
  const { box } = db.prepare('SELECT box FROM records').get() as { box: Uint8Array };
  db.close();
  return Buffer.from(box);
}

/** Whether any piece of a box is in a file: SQLite may overwrite its beginning only. */
const isLeft = (box: Buffer, path = folder): boolean =>
  Array.from({ length: Math.floor(box.length / 32) }, (_, n) => box.subarray(n * 32, n * 32 + 32)).some((piece) =>
    filesOf(path).includes(piece),
  );

/** Of a session only the bytes matter here. */
const packed = ({ group, tagSecrets, handshake }: SealedSession): string =>
  Buffer.concat([group, tagSecrets.sending, tagSecrets.receiving, handshake ?? new Uint8Array(0)]).toString('hex');

describe('a peer’s store', () => {
  it('[A2C-34] keeps records over a restart, in the order they came', async () => {
    const store = await openPeerFolder(folder, undefined);
    await store.commit(['one', 'two', 'three'].map((key) => ({ put: 'packet', key, value: { text: key } })));
    await store.commit([
      { put: 'packet', key: 'one', value: { text: 'changed' } },
      { remove: 'packet', key: 'two' },
    ]);
    await store.close();
    const again = await openPeerFolder(folder, undefined);
    expect(await again.list('packet')).toMatchObject([
      { key: 'one', version: 2, value: { text: 'changed' } },
      { key: 'three', version: 1, value: { text: 'three' } },
    ]);
    expect(await again.get('packet', 'two')).toBeUndefined();
    expect(await again.list('packet', (await again.get('packet', 'one'))!.sequence)).toMatchObject([{ key: 'three' }]);
    await again.close();
  });

  it('[SYS-15] a damaged file is named with the next command, wherever the damage is', async () => {
    const path = join(folder, 'peer.db');
    const named = new RegExp(`^${path}: .*malformed\\. .*parley peer restore <file>`);
    const store = await openPeerFolder(folder, undefined);
    for (let n = 0; n < 50; n++) await store.commit([{ put: 'packet', key: `${n}`, value: { text: 'x'.repeat(1000) } }]);
    await store.close();
    const whole = readFileSync(path);
    // Its schema stands on the first page, the wrapped key on the second, records on later ones.
    writeFileSync(path, whole.fill(7, 2 * 4096));
    const open = await openPeerFolder(folder, undefined);
    await expect(open.list('packet')).rejects.toThrow(named);
    await expect(open.get('packet', '1')).rejects.toThrow(named);
    await expect(open.commit([{ remove: 'packet', key: '1' }])).rejects.toThrow(named);
    await open.close();
    writeFileSync(path, whole.fill(7, 4096));
    await expect(openPeerFolder(folder, undefined)).rejects.toThrow(named);
  });

  it('[A2C-34] the loser of two writers stores nothing', async () => {
    const store = await openPeerFolder(folder, undefined);
    await store.commit([{ put: 'session', key: 's', value: 1, ifVersion: 0 }]);
    await store.commit([{ put: 'session', key: 's', value: 2, ifVersion: 1 }]);
    const late = store.commit([
      { put: 'outbox', key: 'o', value: 'sent' },
      { put: 'session', key: 's', value: 3, ifVersion: 1 },
    ]);
    await expect(late).rejects.toThrow(VersionConflict);
    expect(await store.get('session', 's')).toMatchObject({ value: 2 });
    expect(await store.get('outbox', 'o')).toBeUndefined();
    await store.close();
  });

  it('[A2C-5] neither keys nor values stand in any file, and what was replaced or removed is gone', async () => {
    const store = await openPeerFolder(folder, undefined);
    for (let n = 0; n < 50; n += 1) await store.commit([{ put: 'session', key: 'canary-key', value: `canary-value-${n}` }]);
    const old = boxIn(folder);
    expect(isLeft(old)).toBe(true);
    await store.commit([{ put: 'session', key: 'canary-key', value: 'the next' }]);
    expect(filesOf().includes('canary')).toBe(false);
    expect(isLeft(old)).toBe(false);
    const next = boxIn(folder);
    await store.commit([{ remove: 'session', key: 'canary-key' }]);
    expect(isLeft(next)).toBe(false);
    await store.close();
  });

  it('[A2C-5] without overwriting of freed pages, or with a write-ahead log, it would still be there', async () => {
    for (const pragma of ['secure_delete = OFF', 'journal_mode = WAL']) {
      const path = join(folder, pragma);
      const store = await openPeerFolder(path, undefined);
      await store.commit([{ put: 'session', key: 'k', value: 'x'.repeat(3000) }]);
      await store.close();
      const old = boxIn(path);
      const db = new DatabaseSync(join(path, 'peer.db'));
      db.exec(`PRAGMA ${pragma}; UPDATE records SET box = x'00'`);
      expect(isLeft(old, path), pragma).toBe(true);
      db.close();
    }
  });

  it('[A2C-5] all files with their key open no earlier packet; with erasure switched off they do', async () => {
    const knowledge = new Knowledge();
    const line = await Line.begun();
    const [erasing, keeping] = [join(folder, 'erasing'), join(folder, 'keeping')];
    const stores = [await openPeerFolder(erasing, undefined), await openPeerFolder(keeping, undefined)] as const;
    const captured: Uint8Array[] = [];
    for (const [n, from] of (['ann', 'bob', 'ann', 'ann', 'bob', 'ann'] as const).entries()) {
      const body = await line.sealed(from, `text ${n}`);
      await line.opened(from === 'ann' ? 'bob' : 'ann', body);
      if (n > 0) captured.push(body);
      const value = packed(line.ends.bob!);
      await stores[0].commit([{ put: 'session', key: 'bob', value }]);
      await stores[1].commit([{ put: 'session', key: `bob ${n}`, value }]);
    }
    for (const store of stores) await store.close();
    /** Reads every record with the key that lies beside them, as a thief of the folder does. */
    const stolen = async (path: string): Promise<unknown[]> => {
      const store = await openPeerFolder(path, undefined);
      const records = await Promise.all(recordKinds.map((kind) => store.list(kind)));
      await store.close();
      return [filesOf(path), line.bob.key.secret, ...records.flat().map(({ value }) => Buffer.from(String(value), 'hex'))];
    };
    expect(captured.filter(knowledge.opener(await stolen(erasing)))).toEqual([]);
    expect(captured.filter(knowledge.opener(await stolen(keeping))).length).toBeGreaterThan(1);
    knowledge.stop();
  });

  it('[A2C-3] a passphrase locks it, and no key file lies beside it', async () => {
    const store = await openPeerFolder(folder, 'correct horse', cheap);
    await store.commit([{ put: 'setting', key: 'k', value: 'v' }]);
    await store.close();
    expect(readdirSync(folder)).toEqual(['peer.db']);
    await expect(openPeerFolder(folder, 'wrong', cheap)).rejects.toThrow('The passphrase is wrong.');
    await expect(openPeerFolder(folder, undefined)).rejects.toThrow('This peer needs its passphrase.');
    expect(readdirSync(folder)).toEqual(['peer.db']);
    const again = await openPeerFolder(folder, 'correct horse', cheap);
    expect(await again.get('setting', 'k')).toMatchObject({ value: 'v' });
    await again.close();
    const open = join(folder, 'open');
    await (await openPeerFolder(open, undefined)).close();
    await expect(openPeerFolder(open, 'correct horse', cheap)).rejects.toThrow(/made without a passphrase.*restore it into a new folder/);
  });

  it('[A2C-3] its files are for their owner alone, and another key file opens nothing', async () => {
    await (await openPeerFolder(folder, undefined)).close();
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
    writeFileSync(join(folder, 'peer.key'), Buffer.alloc(32).toString('base64url'));
    await expect(openPeerFolder(folder, undefined)).rejects.toThrow('The key file does not belong to this peer.');
  });

  it('[A2C-3] a row that was changed, moved or put back is noticed', async () => {
    const store = await openPeerFolder(folder, undefined);
    await store.commit([
      { put: 'peer', key: 'a', value: 'a' },
      { put: 'peer', key: 'b', value: 'b' },
    ]);
    const db = new DatabaseSync(join(folder, 'peer.db'));
    db.exec('UPDATE records SET box = (SELECT box FROM records ORDER BY sequence LIMIT 1) WHERE sequence = 2');
    db.close();
    expect(await store.get('peer', 'a')).toMatchObject({ value: 'a' });
    await expect(store.get('peer', 'b')).rejects.toThrow();
    await store.close();
  });
});

import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DataDirInUse, readConfig, restoreBackup, startHub } from '@parley/hub';
import { Ear, freshGround, onEveryEngine, Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { summer } from '../../src/store/checksum.ts';
import type { AnyRow } from '../../src/store/tables.ts';
import { backUp, type Dump, dump, filesIn, fill, placeOf, problemsIn, repack, tamper } from '../kit/backup.ts';

const both = ['sqlite', 'postgres'] as const;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-backup-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A restore revokes tokens; all else stays as it was. */
const withoutAccess = (all: Dump): Dump => ({ ...all, tokens: [], links: [] });

onEveryEngine('backup and restore', (engine) => {
  let source: TestHub;
  let kept: { sha256: string; messageId: string };
  beforeAll(async () => {
    // On a clock of its own: a hub at work notes that it is alive, and empties its log ten seconds after a deletion.
    source = await startTestHub(engine, { clock: new SimClock(Date.now()) });
    kept = await fill(source);
    await source.hub.kernel.outbox.settled();
  });
  afterAll(() => source.stop());

  test('[SYS-15] a backup taken under load restores to the same facts, on either engine', async () => {
    const general = await source.general();
    const acked: string[] = [];
    const loading = new AbortController();
    const load = Array.from({ length: 4 }, async (_, worker) => {
      for (let n = 0; !loading.signal.aborted; n++) acked.push((await source.owner.post(general, `load ${worker}.${n}`)).id);
    });
    while (acked.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = [...acked];
    const made = await backUp(source.ground, join(folder, `load-${engine}`));
    const during = acked.length;
    loading.abort();
    await Promise.all(load);
    expect(acked.length).toBeGreaterThan(made.rows['messages']! - 20);
    expect(during).toBeGreaterThan(before.length);

    const original = await dump(source.ground);
    for (const target of both) {
      const ground = await freshGround(target);
      const place = placeOf(ground);
      const restored = await restoreBackup({ path: made.path, ...place, epoch: 'aaaa' });
      expect(restored.head).toBe(made.head);
      const copy = await dump(place);
      expect(copy['facts']).toEqual(original['facts']!.slice(0, made.head));
      const ids = new Set(copy['messages']!.map((row) => row['id']));
      expect(before.filter((id) => !ids.has(id))).toEqual([]);
      expect(await problemsIn(place)).toEqual([]);
      await ground.clear();
    }
  });

  test.each(both)('[SYS-15] rows, checksums and attachments are the same after a round trip to %s', async (target) => {
    const { path, blobs, lost } = await backUp(source.ground, join(folder, `quiet-${engine}-${target}`));
    expect({ blobs, lost }).toEqual({ blobs: 1, lost: [] });
    const ground = await freshGround(target);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'bbbb' });
    expect(withoutAccess(await dump(place))).toEqual(withoutAccess(await dump(source.ground)));
    expect(await filesIn(join(place.dataDir, 'blobs'))).toEqual([kept.sha256.slice(0, 2), join(kept.sha256.slice(0, 2), kept.sha256)]);
    expect(await filesIn(place.dataDir)).not.toContainEqual(expect.stringMatching(/^restore-/));
    expect((await stat(join(place.dataDir, 'checksum.key'))).mode & 0o777).toBe(0o600);
    // And back: what was restored backs up to the same lines.
    const again = await backUp(place, join(folder, `again-${engine}-${target}`));
    const linesOf = async (file: string) =>
      gunzipSync(await readFile(file))
        .toString()
        .split('\n')
        .filter((line) => !/^\{"(?:parley|sha256|hmac|t":"(?:tokens|links))"/.test(line));
    expect(await linesOf(again.path)).toEqual(await linesOf(path));
    await ground.clear();
  });

  test('[SYS-15] a restored hub starts a new epoch: an old cursor is reset, old tokens are revoked, the chain goes on', async () => {
    const { path } = await backUp(source.ground, join(folder, `epoch-${engine}`));
    const oldCursor = (await source.owner.call('listConversations', { query: {} })).cursor;
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'cccc' });
    const hub = await startHub(
      readConfig({ PARLEY_PORT: '0', PARLEY_DATA: place.dataDir, PARLEY_DATABASE_URL: place.databaseUrl, PARLEY_LOG: 'error' }),
    );
    try {
      expect((await new Person(hub.url, source.owner.token, source.owner.id, 'matt').ask('getSession', {})).status).toBe(401);
      const machine = new Person(hub.url, hub.dataDir.operatorKey, '', 'operator');
      const { secret } = await machine.call('createToken', { body: { kind: 'person', memberId: source.owner.id, label: 'new' } });
      const owner = new Person(hub.url, secret, source.owner.id, 'matt');
      const ear = new Ear(owner, oldCursor);
      expect(await ear.until((heard) => heard.find((event) => event.type === 'reset'))).toMatchObject({ reason: 'epoch' });
      ear.close();
      const general = (await owner.call('listConversations', { query: {} })).conversations.find((c) => c.name === 'general')!.id;
      const said = await owner.post(general, 'after the restore');
      const history = await owner.call('listMessages', { params: { conversationId: general }, query: {} });
      expect(history.messages.at(-1)!.id).toBe(said.id);
      expect(await problemsIn(place)).toEqual([]);
      const facts = (await dump(place))['facts']!;
      expect(facts.at(-1)!['epoch']).toBe('cccc');
      await hub.kernel.indexer.settled();
      expect((await owner.call('search', { query: { q: 'after restore' } })).messages.map((m) => m.id)).toEqual([said.id]);
    } finally {
      await hub.stop();
      await ground.clear();
    }
  });

  test('[SYS-15] a restore keeps source tokens but those revoked since, ends every other token, and says so', async () => {
    const hub = await startTestHub(engine);
    const { owner, operator } = hub;
    await owner.call('putProvoke', {
      params: { kind: 'source', id: 'monitor' },
      body: { version: 0, object: { id: 'monitor', types: ['*'] } },
    });
    const make = (label: string) => owner.call('createToken', { body: { kind: 'source', label, source: 'monitor' } });
    const [kept, since, before] = [await make('kept'), await make('since'), await make('before')];
    await owner.call('revokeToken', { params: { tokenId: before.token.id } });
    const agent = await hub.agent('HELPER');
    const link = await operator.call('createSignInLink', { body: { memberId: owner.id } });
    const signedIn = await fetch(`${hub.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: link.secret }),
    });
    expect(signedIn.status).toBe(200);
    const { path } = await backUp(hub.ground, join(folder, `tokens-${engine}`));
    const open = (await dump(hub.ground))['tokens']!.filter((row) => row['revoked_at'] === null);
    await owner.call('revokeToken', { params: { tokenId: since.token.id } });
    await hub.hub.stop();
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    // The folder is the old one: it knows what was revoked after the backup.
    await mkdir(place.dataDir, { recursive: true });
    await cp(join(hub.ground.dataDir, 'heads.log'), join(place.dataDir, 'heads.log'));
    const restored = await restoreBackup({ path, ...place, epoch: 'dddd' });
    expect([restored.sources, restored.revoked]).toEqual([1, open.length - 1]);
    const valid = (await dump(place))['tokens']!.filter((row) => row['revoked_at'] === null);
    expect(valid.map((row) => row['id'])).toEqual([kept.token.id]);
    const again = await startHub(
      readConfig({ PARLEY_PORT: '0', PARLEY_DATA: place.dataDir, PARLEY_DATABASE_URL: place.databaseUrl, PARLEY_LOG: 'error' }),
    );
    const event = { pap_version: '0.2', id: 'e1', type: 'test.it.works', time: '2026-03-11T06:00:00Z', data: {} };
    const emit = async (token: string) => (await new Person(again.url, token, '', '').ask('emitEvent', { body: event as never })).status;
    expect([await emit(kept.secret), await emit(since.secret), await emit(before.secret)]).toEqual([200, 401, 401]);
    for (const { token } of [owner, agent]) expect((await new Person(again.url, token, '', '').ask('getSession', {})).status).toBe(401);
    await again.stop();
    await ground.clear();
    await hub.ground.clear();
  });

  test('[SYS-15] a backup is signed with a key that it does not hold: a changed role is noticed where the key is', async () => {
    const { path } = await backUp(source.ground, join(folder, `signed-${engine}`));
    const forged = join(folder, `forged-${engine}`);
    const key = await readFile(join(source.ground.dataDir, 'backup.key'), 'utf8');
    expect(gunzipSync(await readFile(path)).toString('utf8')).not.toContain(key.trim());
    await repack(path, forged, (lines) => {
      const sum = summer(Buffer.from((lines[0] as unknown as { checksumKey: string }).checksumKey, 'hex'));
      return lines.map((line) => {
        if (line.t !== 'members' || line.r?.['role'] !== 'member') return line;
        const row: AnyRow = { ...line.r, role: 'owner' };
        return { ...line, r: { ...row, sum: sum('members', row) } };
      });
    });
    for (const [file, bringsKey, expected] of [
      [path, true, 'verified'],
      [path, false, 'unchecked'],
      [forged, false, 'unsigned'],
    ] as const) {
      const ground = await freshGround(engine);
      const place = placeOf(ground);
      await mkdir(place.dataDir);
      if (bringsKey) await writeFile(join(place.dataDir, 'backup.key'), key);
      const restored = await restoreBackup({ path: file, ...place, epoch: 'abcd' });
      expect(restored.signature).toBe(expected);
      expect(restored.revoked).toBeGreaterThan(0);
      await ground.clear();
    }
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await mkdir(place.dataDir);
    await writeFile(join(place.dataDir, 'backup.key'), key);
    await expect(restoreBackup({ path: forged, ...place, epoch: 'abcd' })).rejects.toThrow(/not signed/);
    await ground.clear();
  });

  test('[SYS-15] a restore that fails half-way leaves nothing behind', async () => {
    const { path } = await backUp(source.ground, join(folder, `twice-${engine}`));
    const broken = join(folder, `broken-${engine}`);
    // A row twice: only the database can notice, when most of it is written.
    await repack(path, broken, (lines) => {
      const row = lines.find((line) => line.t === 'settings')!;
      lines.at(-1)!.end!.rows['settings']!++;
      return [...lines.slice(0, -1), row, lines.at(-1)!];
    });
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await expect(restoreBackup({ path: broken, ...place, epoch: 'dddd' })).rejects.toThrow(/constraint/i);
    expect(await filesIn(ground.dataDir)).toEqual([]);
    // The same place takes the good one afterwards.
    await restoreBackup({ path, ...place, epoch: 'dddd' });
    expect(await problemsIn(place)).toEqual([]);
    await ground.clear();
  });

  test('[SYS-15] a restore that was killed can be run again', async () => {
    const { path } = await backUp(source.ground, join(folder, `killed-${engine}`));
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await mkdir(join(place.dataDir, 'restore-abcdef'), { recursive: true });
    await writeFile(join(place.dataDir, 'restore-abcdef', 'parley.db'), 'half of one');
    await cp(join(source.ground.dataDir, 'checksum.key'), join(place.dataDir, 'checksum.key'));
    await restoreBackup({ path, ...place, epoch: 'abcd' });
    expect(await problemsIn(place)).toEqual([]);
    expect(await filesIn(place.dataDir)).not.toContainEqual(expect.stringMatching(/^restore-/));
    await ground.clear();
  });

  test('[SYS-15] a restore refuses a place where there is something', async () => {
    const { path } = await backUp(source.ground, join(folder, `occupied-${engine}`));
    await expect(
      restoreBackup({ path, dataDir: source.ground.dataDir, databaseUrl: source.ground.databaseUrl, epoch: 'e' }),
    ).rejects.toBeInstanceOf(DataDirInUse);
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'eeee' });
    const before = await dump(place);
    const files = await filesIn(ground.dataDir);
    await expect(restoreBackup({ path, ...place, epoch: 'ffff', unsigned: true })).rejects.toMatchObject({ failure: 'occupied' });
    expect(await dump(place)).toEqual(before);
    expect(await filesIn(ground.dataDir)).toEqual(files);
    await ground.clear();
  });

  test('[SYS-15] a backup is not written over a file, and a broken row stops it', async () => {
    await backUp(source.ground, join(folder, `there-${engine}`));
    await expect(backUp(source.ground, join(folder, `there-${engine}`))).rejects.toMatchObject({ failure: 'occupied' });
    await backUp(source.ground, join(folder, `there-${engine}`), true);
    expect((await stat(join(folder, `there-${engine}`))).mode & 0o777).toBe(0o600);

    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path: join(folder, `there-${engine}`), ...place, epoch: 'abcd' });
    await tamper(place, "update messages set body = 'put in by hand' where body = 'in a thread'");
    await expect(backUp(place, join(folder, `never-${engine}`))).rejects.toMatchObject({
      failure: 'damaged',
      message: expect.stringMatching(/^messages msg_\w+ does not match its checksum/),
    });
    expect((await filesIn(folder)).filter((name) => name.includes('never'))).toEqual([]);
    await ground.clear();
  });

  test('[SYS-15] an attachment that cannot be saved is named, and all else is saved', async () => {
    const { path } = await backUp(source.ground, join(folder, `lose-${engine}`));
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'abce' });
    const file = join(place.dataDir, 'blobs', kept.sha256.slice(0, 2), kept.sha256);
    const bytes = await readFile(file);
    bytes[100_000]! ^= 1;
    await writeFile(file, bytes);
    expect(await problemsIn(place)).toEqual([{ where: `file ${kept.sha256}`, what: 'is not what was uploaded' }]);
    expect(await backUp(place, join(folder, `changed-${engine}`))).toMatchObject({ blobs: 0, lost: [kept.sha256] });
    await rm(file);
    expect(await problemsIn(place)).toEqual([{ where: `file ${kept.sha256}`, what: 'is missing' }]);
    expect(await backUp(place, join(folder, `missing-${engine}`))).toMatchObject({ blobs: 0, lost: [kept.sha256] });
    for (const name of ['changed', 'missing']) {
      const next = await freshGround('sqlite');
      expect(await restoreBackup({ path: join(folder, `${name}-${engine}`), ...placeOf(next), epoch: 'abcf' })).toMatchObject({
        lost: [kept.sha256],
      });
      expect(await filesIn(join(placeOf(next).dataDir, 'blobs'))).toEqual([]);
      await next.clear();
    }
    await ground.clear();
  });
});

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BackupError, DataDirInUse, openExisting, readConfig, restoreBackup, startHub, verifyBackup, writeBackup } from '@parley/hub';
import { Ear, freshGround, type Ground, onBothEngines, Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upgraderFrom } from '../src/backup/upgrades.ts';
import { summer } from '../src/store/checksum.ts';
import { dump, filesIn, fill, problemsIn, repack, tamper } from './backup-kit.ts';

const both = ['sqlite', 'postgres'] as const;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-backup-'));
});
afterAll(() => rm(folder, { recursive: true }));

const backUp = async (place: { dataDir: string; databaseUrl?: string | undefined }, name: string, replace = false) => {
  const source = await openExisting(place);
  try {
    return await writeBackup(source, { path: join(folder, name), now: 1_700_000_000_000, replace });
  } finally {
    await source.store.close();
  }
};
const placeOf = ({ dataDir, databaseUrl }: Ground) => ({ dataDir: join(dataDir, 'data'), databaseUrl });

onBothEngines('backup and restore', (engine) => {
  let source: TestHub;
  let kept: { sha256: string; messageId: string };
  beforeAll(async () => {
    source = await startTestHub(engine);
    kept = await fill(source);
  });
  afterAll(() => source.stop());

  test('[SYS-15] a backup taken under load restores to the same facts, on either engine', async () => {
    const general = await source.general();
    const acked: string[] = [];
    let loading = true;
    const load = Array.from({ length: 4 }, async (_, worker) => {
      for (let n = 0; loading; n++) acked.push((await source.owner.post(general, `load ${worker}.${n}`)).id);
    });
    while (acked.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = [...acked];
    const made = await backUp(source.ground, `load-${engine}`);
    const during = acked.length;
    loading = false;
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
    const { path, blobs, lost } = await backUp(source.ground, `quiet-${engine}-${target}`);
    expect({ blobs, lost }).toEqual({ blobs: 1, lost: [] });
    const ground = await freshGround(target);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'bbbb' });
    expect(await dump(place)).toEqual(await dump(source.ground));
    expect(await filesIn(join(place.dataDir, 'blobs'))).toEqual([kept.sha256.slice(0, 2), join(kept.sha256.slice(0, 2), kept.sha256)]);
    expect(await filesIn(place.dataDir)).not.toContainEqual(expect.stringMatching(/^restore-/));
    expect((await stat(join(place.dataDir, 'checksum.key'))).mode & 0o777).toBe(0o600);
    // And back: what was restored backs up to the same lines.
    const again = await backUp(place, `again-${engine}-${target}`);
    const linesOf = async (file: string) =>
      gunzipSync(await readFile(file))
        .toString()
        .split('\n')
        .slice(1, -2);
    expect(await linesOf(again.path)).toEqual(await linesOf(path));
    await ground.clear();
  });

  test('[SYS-15] a restored hub starts a new epoch: an old cursor is reset, old tokens work, the chain goes on', async () => {
    const { path } = await backUp(source.ground, `epoch-${engine}`);
    const oldCursor = (await source.owner.call('listConversations', {})).cursor;
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'cccc' });
    const hub = await startHub(
      readConfig({ PARLEY_PORT: '0', PARLEY_DATA: place.dataDir, PARLEY_DATABASE_URL: place.databaseUrl, PARLEY_LOG: 'error' }),
    );
    try {
      const owner = new Person(hub.url, source.owner.token, source.owner.id, 'matt');
      const ear = new Ear(owner, oldCursor);
      expect(await ear.until((heard) => heard.find((event) => event.type === 'reset'))).toMatchObject({ reason: 'epoch' });
      ear.close();
      const general = (await owner.call('listConversations', {})).conversations.find((c) => c.name === 'general')!.id;
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

  test('[SYS-15] a restore that fails half-way leaves nothing behind', async () => {
    const { path } = await backUp(source.ground, `twice-${engine}`);
    const broken = join(folder, `broken-${engine}`);
    // A row twice: only the database can notice, when most of it is written.
    await repack(path, broken, (lines) => {
      const row = lines.find((line) => line['t'] === 'settings')!;
      lines.at(-1)!['end'].rows.settings++;
      return [...lines.slice(0, -1), row, lines.at(-1)!];
    });
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await expect(restoreBackup({ path: broken, ...place, epoch: 'dddd' })).rejects.toThrow();
    expect(await filesIn(ground.dataDir)).toEqual([]);
    // The same place takes the good one afterwards.
    await restoreBackup({ path, ...place, epoch: 'dddd' });
    expect(await problemsIn(place)).toEqual([]);
    await ground.clear();
  });

  test('[SYS-15] a restore refuses a place where there is something', async () => {
    const { path } = await backUp(source.ground, `occupied-${engine}`);
    await expect(
      restoreBackup({ path, dataDir: source.ground.dataDir, databaseUrl: source.ground.databaseUrl, epoch: 'e' }),
    ).rejects.toBeInstanceOf(DataDirInUse);
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'eeee' });
    const before = await dump(place);
    const files = await filesIn(ground.dataDir);
    await expect(restoreBackup({ path, ...place, epoch: 'ffff' })).rejects.toMatchObject({ failure: 'occupied' });
    expect(await dump(place)).toEqual(before);
    expect(await filesIn(ground.dataDir)).toEqual(files);
    await ground.clear();
  });

  test('[SYS-15] a backup is not written over a file, and a broken row stops it', async () => {
    await backUp(source.ground, `there-${engine}`);
    await expect(backUp(source.ground, `there-${engine}`)).rejects.toMatchObject({ failure: 'occupied' });
    await backUp(source.ground, `there-${engine}`, true);
    expect((await stat(join(folder, `there-${engine}`))).mode & 0o777).toBe(0o600);

    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path: join(folder, `there-${engine}`), ...place, epoch: 'abcd' });
    await tamper(place, "update messages set body = 'put in by hand' where body = 'in a thread'");
    await expect(backUp(place, `never-${engine}`)).rejects.toMatchObject({
      failure: 'damaged',
      message: expect.stringMatching(/^messages msg_\w+ does not match its checksum/),
    });
    expect((await filesIn(folder)).filter((name) => name.includes('never'))).toEqual([]);
    await ground.clear();
  });

  test('[SYS-15] an attachment that cannot be saved is named, and all else is saved', async () => {
    const { path } = await backUp(source.ground, `lose-${engine}`);
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'abce' });
    const file = join(place.dataDir, 'blobs', kept.sha256.slice(0, 2), kept.sha256);
    const bytes = await readFile(file);
    bytes[100_000]! ^= 1;
    await writeFile(file, bytes);
    expect(await problemsIn(place)).toEqual([{ where: `file ${kept.sha256}`, what: 'is not what was uploaded' }]);
    expect(await backUp(place, `changed-${engine}`)).toMatchObject({ blobs: 0, lost: [kept.sha256] });
    await rm(file);
    expect(await problemsIn(place)).toEqual([{ where: `file ${kept.sha256}`, what: 'is missing' }]);
    expect(await backUp(place, `missing-${engine}`)).toMatchObject({ blobs: 0, lost: [kept.sha256] });
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

describe('a backup that is not as it was written', () => {
  let path: string;
  let bytes: Buffer;
  beforeAll(async () => {
    const source = await startTestHub('sqlite');
    await fill(source);
    ({ path } = await backUp(source.ground, 'whole'));
    await source.stop();
    bytes = await readFile(path);
  });

  async function refused(content: Uint8Array | string, name: string): Promise<BackupError> {
    const file = join(folder, name);
    await writeFile(file, content);
    const ground = await freshGround('sqlite');
    const error: unknown = await restoreBackup({ path: file, ...placeOf(ground), epoch: 'x' }).catch((thrown: unknown) => thrown);
    expect(await filesIn(ground.dataDir)).toEqual([]);
    await ground.clear();
    expect(error).toBeInstanceOf(BackupError);
    return error as BackupError;
  }

  test('[SYS-15] is refused when any byte of it is another', async () => {
    const places = [...Array.from({ length: 24 }, (_, i) => i), ...Array.from({ length: 110 }, (_, i) => bytes.length - 1 - i)];
    for (let i = 1; i < 60; i++) places.push(Math.floor((bytes.length * i) / 60));
    for (const at of places) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      const { failure } = await refused(changed, 'flipped');
      expect(['damaged', 'not_a_backup', 'newer'], `byte ${at}`).toContain(failure);
    }
  });

  test('[SYS-15] is refused when it is cut short or goes on', async () => {
    for (const length of [0, 1, 10, 500, bytes.length - 5000, bytes.length - 101, bytes.length - 100, bytes.length - 1]) {
      expect((await refused(bytes.subarray(0, length), 'cut')).failure).toMatch(length > 500 ? /damaged/ : /damaged|not_a_backup/);
    }
    expect(await refused(Buffer.concat([bytes, Buffer.from('\n')]), 'long')).toMatchObject({ failure: 'damaged' });
    expect(await refused(Buffer.concat([bytes, bytes]), 'double')).toMatchObject({ failure: 'damaged' });
  });

  test('[SYS-15] is refused when it is something else', async () => {
    expect(await refused('Dear diary', 'text')).toMatchObject({ failure: 'not_a_backup' });
    expect(await refused(gzipSync('{"hello":"world"}\n'), 'other.gz')).toMatchObject({ failure: 'not_a_backup' });
    expect(await refused(gzipSync(Buffer.alloc(100_000, 'x')), 'x.gz')).toMatchObject({ failure: 'not_a_backup' });
    await expect(verifyBackup(folder)).rejects.toMatchObject({ failure: 'not_a_backup' });
    await expect(verifyBackup(join(folder, 'no such file'))).rejects.toMatchObject({ failure: 'nothing_there' });
  });

  test('[SYS-15] is refused when its rows, chain, attachments or counts do not add up, though its seal does', async () => {
    const forge = async (edit: Parameters<typeof repack>[2]) => {
      await repack(path, join(folder, 'forged'), edit);
      return (await refused(await readFile(join(folder, 'forged')), 'forged')).message;
    };
    const factAt = (lines: Record<string, any>[], seq: number) => lines.findIndex((line) => line['t'] === 'facts' && line['r'].seq === seq);
    expect(await forge((lines) => ((lines.find((line) => line['t'] === 'members')!['r'].role = 'owner'), lines))).not.toBe('');
    expect(await forge((lines) => ((lines.find((line) => line['t'] === 'messages')!['r'].body = 'x'), lines))).toMatch(
      /does not match its checksum/,
    );
    expect(await forge((lines) => lines.toSpliced(factAt(lines, 5), 1))).toMatch(/facts 6 follows fact 4: 1 missing/);
    expect(
      await forge((lines) =>
        lines.toSpliced(
          lines.findIndex((line) => line['t'] === 'reactions'),
          1,
        ),
      ),
    ).toMatch(/does not hold what its end says \(rows\)/);
    expect(
      await forge((lines) =>
        lines.toSpliced(
          lines.findIndex((line) => line['b']),
          1,
        ),
      ),
    ).toMatch(/attachment \w+ does not match its hash/);
    expect(await forge((lines) => lines.filter((line) => !line['size']))).toMatch(/attachment \w+ is cut short/);
    expect(await forge((lines) => lines.slice(0, -1))).toMatch(/its end is missing/);
    expect(await forge((lines) => [...lines, lines[1]!])).toMatch(/does not hold what its end says/);
    expect(await forge((lines) => ((lines[1]!['t'] = 'no_such_table'), lines))).toMatch(/is damaged/);
  });

  test('[SYS-15] of a newer version is refused by name, one of an older version is brought forward', async () => {
    const newer = join(folder, 'newer');
    await repack(path, newer, (lines) => (Object.assign(lines[0]!, { schema: 999 }), lines));
    expect(await refused(await readFile(newer), 'newer')).toMatchObject({
      failure: 'newer',
      message: expect.stringContaining('schema 999'),
    });
    await repack(path, newer, (lines) => (Object.assign(lines[0]!, { version: 2 }), lines));
    expect(await refused(await readFile(newer), 'newer')).toMatchObject({ failure: 'newer' });

    // As if version 0 had had members without `about`, and reactions in a table called `likes`.
    const columns = [
      'id',
      'kind',
      'handle',
      'handle_fold',
      'display_name',
      'role',
      'owner_id',
      'manager_id',
      'status',
      'dnd_until',
      'created_at',
    ];
    const upgrade = {
      from: 0,
      columns: { members: columns },
      row: (table: string, row: Record<string, string | number | null>) =>
        table === 'members' ? { table, row: { ...row, about: `was version 0` } } : table === 'reads' ? undefined : { table, row },
    };
    const key = Buffer.from(JSON.parse(gunzipSync(bytes).toString().split('\n')[0]!).checksumKey, 'hex');
    const sumThen = summer(key, { members: columns });
    const older = join(folder, 'older');
    await repack(path, older, (lines) => {
      lines[0]!['schema'] = 0;
      for (const line of lines) {
        if (line['t'] !== 'members') continue;
        const { about: _, ...row } = line['r'];
        line['r'] = { ...row, sum: sumThen('members', row) };
      }
      return lines;
    });
    const ground = await freshGround('sqlite');
    await restoreBackup({ path: older, ...placeOf(ground), epoch: 'old', upgrades: [upgrade] });
    const rows = await dump(placeOf(ground));
    expect(new Set(rows['members']!.map((row) => row['about']))).toEqual(new Set(['was version 0']));
    expect(rows['reads']).toEqual([]);
    expect(await problemsIn(placeOf(ground))).toEqual([]);
    await ground.clear();
    expect(upgraderFrom(1, key, [upgrade]).upgrade('reads', { seq: 1 })).toEqual({ table: 'reads', row: { seq: 1 } });
  });
});

onBothEngines('verify', (engine) => {
  test('[SYS-15] a byte flipped in a stored row is found by verify, and by whoever reads it', async () => {
    const source = await startTestHub(engine);
    await fill(source);
    const general = await source.general();
    expect(await problemsIn(source.ground)).toEqual([]);
    const { id } = await source.owner.post(general, 'flip me');
    await tamper(source.ground, `update messages set body = 'flip mf' where id = '${id}'`);
    expect(await problemsIn(source.ground)).toEqual([{ where: `messages ${id}`, what: 'does not match its checksum' }]);
    expect(await source.owner.ask('getMessage', { params: { messageId: id } })).toMatchObject({
      status: 500,
      body: { error: { code: 'corrupt' } },
    });
    await tamper(source.ground, `update messages set body = 'flip me' where id = '${id}'`);
    expect(await problemsIn(source.ground)).toEqual([]);
    await source.stop();
  });

  test('[SYS-15] rows that were taken out or put in are missed', async () => {
    const source = await startTestHub(engine);
    await fill(source);
    const { ground } = source;
    const rows = await dump(ground);
    const fact = rows['facts']!.find((row) => row['type'] === 'message.edited')!;
    const posted = rows['facts']!.findLast((row) => row['type'] === 'message.posted')!;
    await source.hub.stop();
    await tamper(ground, `delete from facts where seq = ${fact['seq']}`);
    expect(await problemsIn(ground)).toEqual([
      { where: `facts ${Number(fact['seq']) + 1}`, what: `follows fact ${Number(fact['seq']) - 1}: 1 missing in between` },
    ]);
    await tamper(ground, `delete from messages where id = '${posted['subject_id']}'`);
    expect(await problemsIn(ground)).toContainEqual({ where: `message ${posted['subject_id']}`, what: 'was posted and is not there' });
    // The newest fact leaves no gap in the chain; the message it tells of gives it away.
    await tamper(ground, `delete from facts where seq >= (select min(seq) from messages)`);
    const found = await problemsIn(ground);
    expect(found.filter(({ what }) => what === 'has no fact that says it was posted')).toHaveLength(rows['messages']!.length - 1);
    await tamper(ground, 'delete from conversations');
    expect(await problemsIn(ground)).toContainEqual({
      where: expect.stringMatching(/^message msg_/),
      what: 'is in a conversation that is not there',
    });
    await ground.clear();
  });

  test('[SYS-15] a place without a workspace is said to have none, and stays that way', async () => {
    const ground = await freshGround(engine);
    await expect(openExisting(placeOf(ground))).rejects.toMatchObject({ failure: 'nothing_there' });
    expect(await filesIn(ground.dataDir)).toEqual([]);
    await ground.clear();
  });
});

test('[SYS-15] a database file damaged in its own structure is reported, not thrown', async () => {
  const source = await startTestHub('sqlite');
  await fill(source);
  await source.hub.stop();
  const file = join(source.ground.dataDir, 'parley.db');
  const bytes = await readFile(file);
  const hash = createHash('sha256').update(bytes).digest('hex');
  bytes.fill(0xff, 8192, 8192 + 40_960);
  await writeFile(file, bytes);
  const problems = await problemsIn(source.ground);
  expect(problems.map(({ where }) => where)).toContain('the database file');
  expect(hash).not.toBe(
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  );
  await source.ground.clear();
});

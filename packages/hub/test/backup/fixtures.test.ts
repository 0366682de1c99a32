import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { openDataDir, openStore, type DatabaseLocation, readConfig, restoreBackup, startHub } from '@parley/hub';
import { atOnce, freshGround, Person, testingInFull } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaVersion } from '../../src/store/migrations.ts';
import { dump, placeOf, problemsIn, tamper } from '../kit/backup.ts';

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
const versions = (await readdir(fixtures)).flatMap((name) => /^schema-(\d+)$/.exec(name)?.[1] ?? []).map(Number);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-fixtures-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** As an upgrade finds it: the files of the old version, the program of the new. */
async function unpack(version: number, name: string): Promise<DatabaseLocation> {
  const from = join(fixtures, `schema-${version}`);
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'parley.db'), gunzipSync(await readFile(join(from, 'parley.db.gz'))));
  await cp(join(from, 'checksum.key'), join(dataDir, 'checksum.key'));
  await cp(join(from, 'blobs'), join(dataDir, 'blobs'), { recursive: true });
  return { dataDir };
}

/** What every version of the fixture says, read and continued through the door. */
async function goesOn(place: DatabaseLocation, version: number): Promise<void> {
  const hub = await startHub(
    readConfig({
      PARLEY_PORT: '0',
      PARLEY_DATA: place.dataDir,
      PARLEY_DATABASE_URL: place.databaseUrl,
      PARLEY_LOG: 'error',
      // Older than anything is kept by default.
      PARLEY_EVENT_DAYS: '0',
      ...atOnce,
    }),
  );
  try {
    const operator = new Person(hub.url, hub.dataDir.operatorKey, '', 'operator');
    const { members } = await operator.call('listMembers', { query: {} });
    expect(members.map(({ handle, kind, role }) => `${handle} ${kind} ${role}`)).toEqual([
      'grace human owner',
      'linus human member',
      'helper agent member',
    ]);
    const { id } = members[1]!;
    const { secret } = await operator.call('createToken', { body: { kind: 'person', memberId: id, label: 'test' } });
    const linus = new Person(hub.url, secret, id, 'linus');
    const { conversations } = await linus.call('listConversations', { query: {} });
    expect(conversations.map(({ name, kind }) => name ?? kind)).toEqual(['general', 'lab', 'dm']);
    const lab = conversations[1]!.id;
    const { messages } = await linus.call('listMessages', { params: { conversationId: lab }, query: {} });
    expect(messages.map(({ body }) => body)).toEqual(['The first word', 'A word without a typo', null, 'A word with a file', null]);
    expect(messages[0]).toMatchObject({ reactions: [{ emoji: '🎉', memberIds: [id] }] });
    const { versions: edits } = await linus.call('listVersions', { params: { messageId: messages[1]!.id }, query: {} });
    expect(edits.map(({ body }) => body)).toEqual(['A word with a tpyo', 'A word without a typo']);
    const thread = await linus.call('openThread', { params: { messageId: messages[0]!.id } });
    const aside = await linus.call('listMessages', { params: { conversationId: thread.id }, query: {} });
    expect(aside.messages.map(({ body }) => body)).toEqual(['A word aside: Grüße, 東京, Ωμέγα']);
    const file = await fetch(`${hub.url}/api/v1/attachments/${messages[3]!.attachments[0]!.id}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await file.text()).toBe('what was noted');
    const said = await linus.post(lab, 'A word of today');
    await hub.kernel.indexer.settled();
    const found = await linus.call('search', { query: { q: 'word' } });
    expect(found.messages.map(({ body }) => body)).toContain('The first word');
    expect(found.messages[0]!.id).toBe(said.id);
    if (version >= 5) await provokedGoesOn(operator);
    if (version >= 2) await workGoesOn(hub.url, operator, members[0]!.id, members[2]!.id);
  } finally {
    await hub.stop();
  }
}

/** From schema 5 on: what was decided on then is known now, and goes on being decided on. */
async function provokedGoesOn(operator: Person): Promise<void> {
  const { events } = await operator.call('listEvents', { query: {} });
  expect(events.map(({ event: { data }, triggers }) => [data, triggers[0]?.reason])).toEqual([[{ celsius: 451 }, 'no_manifest']]);
  const again = async (id: string) =>
    (await operator.call('emitEvent', { body: { ...events[0]!.event, id } })) as { triggers: { reason: string | null }[] };
  // Kept for a week: it was long ago.
  expect((await again('evt_new')).triggers).toMatchObject([{ reason: 'no_manifest' }]);
  expect((await again('evt_new')).triggers).toMatchObject([{ reason: 'duplicate' }]);
}

/** From schema 2 on: a task that was half done has run out of time meanwhile, its requester is told, and asks again. */
async function workGoesOn(url: string, operator: Person, graceId: string, helperId: string): Promise<void> {
  const tokenFor = async (kind: 'person' | 'agent', memberId: string) =>
    (await operator.call('createToken', { body: { kind, memberId, label: 'test' } })).secret;
  const grace = new Person(url, await tokenFor('person', graceId), graceId, 'grace');
  const helper = new Person(url, await tokenFor('agent', helperId), helperId, 'helper');
  const tasks = async () => (await grace.call('listTasks', { query: { state: 'all' } })).tasks;
  expect(await tasks()).toMatchObject([{ state: 'timed_out', cause: 'offline', agentId: helperId }]);
  expect((await grace.call('listNotices', { query: {} })).notices.map(({ kind }) => kind)).toEqual(['agent_offline', 'task_timed_out']);
  await grace.post((await tasks())[0]!.conversationId, '^helper once more');
  const task = (await tasks()).at(-1);
  const { lease } = await helper.call('startTask', { params: { taskId: task!.id } });
  await helper.call('postMessage', {
    params: { conversationId: task!.conversationId },
    body: { body: 'A last word', task: { id: task!.id, lease, kind: 'answer' } },
  });
  expect(await grace.call('getTask', { params: { taskId: task!.id } })).toMatchObject({ state: 'completed' });
}

test('[SYS-15] there is a fixture of every schema version', () => {
  expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: schemaVersion }, (_, i) => i + 1));
});

describe.each(versions)('a workspace of schema %i', (version) => {
  test('[SYS-15] opens with the program of today, is read, and goes on', async () => {
    const place = await unpack(version, `opened-${version}`);
    await goesOn(place, version);
    expect(await problemsIn(place)).toEqual([]);
  });

  // Core brings rows forward, for either engine in the same way, so the oldest and the newest have to do on PostgreSQL in `npm test`.
  const onPostgres = testingInFull || version === 1 || version === schemaVersion;
  test.each(onPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const))(
    '[SYS-15] its backup restores into %s and goes on',
    async (engine) => {
      const ground = await freshGround(engine);
      const place = placeOf(ground);
      const { signature } = await restoreBackup({ path: join(fixtures, `schema-${version}`, 'backup'), ...place, epoch: 'abcd' });
      // Those of before schema 8 were never signed.
      if (version < 8) expect(signature).toBe('unsigned');
      // Two ways to today, one result: rows brought forward by the restore, and a database brought forward by its migrations.
      const beside = await unpack(version, `beside-${version}-${engine}`);
      await (await openStore({ dataDir: await openDataDir(beside.dataDir), epoch: 'none' })).close();
      // But for what opens a door, which a restore closes.
      const closed = { tokens: [], links: [] };
      expect({ ...(await dump(place)), ...closed }).toEqual({ ...(await dump(beside)), ...closed });
      await goesOn(place, version);
      expect(await problemsIn(place)).toEqual([]);
      await ground.clear();
    },
  );
});

test('[SYS-15] a database of a later version is refused, and stays as it was', async () => {
  const place = await unpack(schemaVersion, 'later');
  await tamper(place, "update meta set value = '999' where key = 'schema'");
  const before = await readFile(join(place.dataDir, 'parley.db'));
  await expect(startHub(readConfig({ PARLEY_PORT: '0', PARLEY_DATA: place.dataDir }))).rejects.toThrow(
    /newer version of Parley \(schema 999/,
  );
  await expect(problemsIn(place)).rejects.toMatchObject({ failure: 'newer' });
  expect((await readFile(join(place.dataDir, 'parley.db'))).equals(before)).toBe(true);
});

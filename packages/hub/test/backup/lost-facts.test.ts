import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LostFactsError, openExisting, readConfig, restoreBackup, startHub, verifyBackup } from '@parley/hub';
import { Ear, freshDatabase, type Ground, onEveryEngine, startTestHub, type TestHub } from '@parley/testkit';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { backUp, dump, filesIn, problemsIn } from '../kit/backup.ts';

const isDatabase = (name: string): boolean => name.startsWith('parley.db');

/** The database as it is now; the hub must be stopped. Returns what puts it back. */
async function keepOf(ground: Ground): Promise<() => Promise<void>> {
  if (ground.databaseUrl !== undefined) {
    const copyOf = (url: string) => freshDatabase(inject('postgresUrl'), new URL(url).pathname.slice(1));
    const older = await copyOf(ground.databaseUrl);
    return async () => void (ground.databaseUrl = (await copyOf(older.url)).url);
  }
  const aside = await mkdtemp(join(tmpdir(), 'parley-older-'));
  await cp(join(ground.dataDir, 'parley.db'), join(aside, 'parley.db'));
  return () => cp(join(aside, 'parley.db'), join(ground.dataDir, 'parley.db'));
}

async function removeDatabase({ dataDir }: Ground): Promise<void> {
  for (const name of await readdir(dataDir)) if (isDatabase(name)) await rm(join(dataDir, name));
}

const lossOf = (hub: TestHub, ...how: Parameters<TestHub['restart']>): Promise<unknown> =>
  hub.restart(...how).then(
    () => undefined,
    (error: unknown) => error,
  );

onEveryEngine('a database that lost facts', (engine) => {
  test('[SYS-15] does not start, and the proof stays, until somebody accepts the loss: a fact, a new epoch, no way in that was closed', async () => {
    const hub = await startTestHub(engine);
    const { owner, operator } = hub;
    const general = await hub.general();
    const gone = await hub.person('gone');
    const [token] = (await gone.call('listTokens', {})).tokens;
    const link = await operator.call('createSignInLink', { body: { memberId: owner.id } });
    for (let n = 0; n < 3; n++) await owner.post(general, `before ${n}`);
    let putBack = (): Promise<void> => Promise.resolve();
    await hub.restart({}, async () => void (putBack = await keepOf(hub.ground)));
    for (let n = 0; n < 20; n++) await owner.post(general, `after ${n}`);
    await owner.call('revokeToken', { params: { tokenId: token!.id } });
    const { cursor } = await owner.call('getSession', {});

    for (let n = 0; n < 2; n++) {
      const refused = await lossOf(hub, {}, putBack);
      expect(refused).toBeInstanceOf(LostFactsError);
      expect((refused as Error).message).toMatch(
        /ends at fact \d+\. Fact \d+ is the last one of heads\.log and is not there.*parley restore.*--accept-loss/s,
      );
      expect(await problemsIn(hub.ground)).toMatchObject([{ what: expect.stringContaining('heads.log') as string }]);
    }
    const backup = join(hub.ground.dataDir, 'cut.parley');
    const altered = [expect.stringMatching(/^facts \d+ is the last one of heads\.log and is not there/)];
    expect(await backUp(hub.ground, backup)).toMatchObject({ altered });
    expect(await verifyBackup(backup)).toMatchObject({ altered });

    const accepted: object[] = [];
    await hub.restart({ acceptLoss: true, onLossAccepted: (loss) => void accepted.push(loss) });
    expect(accepted).toEqual([{ ends: expect.any(Number) as number, known: expect.any(Number) as number }]);
    expect((await gone.ask('getSession', {})).status).toBe(401);
    expect((await owner.ask('getSession', {})).status).toBe(200);
    const signIn = await fetch(`${hub.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: link.secret }),
    });
    expect(signIn.status).toBeGreaterThanOrEqual(400);
    const ear = new Ear(owner, cursor);
    expect(await ear.until((heard) => heard.find((event) => event.type === 'reset'))).toMatchObject({ reason: 'epoch' });
    ear.close();
    await owner.post(general, 'it goes on');
    await hub.restart({ acceptLoss: false });
    const { facts } = await dump(hub.ground);
    const fact = facts!.find(({ type }) => type === 'workspace.loss_accepted')!;
    expect(JSON.parse(String(fact['data']))).toEqual(accepted[0]);
    expect(accepted).toMatchObject([{ ends: Number(fact['seq']) - 1 }]);
    expect(facts!.at(-1)!['epoch']).not.toBe(cursor.split('.')[0]);
    expect(await problemsIn(hub.ground)).toEqual([]);
    // It is accepted once, and not for the same older database again.
    expect(await lossOf(hub, {}, putBack)).toBeInstanceOf(LostFactsError);
    await hub.stop();
  });
});

test('[SYS-15] a loss is accepted once, also where heads.log named no epochs yet', async () => {
  const hub = await startTestHub('sqlite');
  let putBack = (): Promise<void> => Promise.resolve();
  await hub.restart({}, async () => void (putBack = await keepOf(hub.ground)));
  const general = await hub.general();
  for (let n = 0; n < 5; n++) await hub.owner.post(general, `said ${n}`);
  const log = join(hub.ground.dataDir, 'heads.log');
  const asBefore = async () => writeFile(log, (await readFile(log, 'utf8')).replaceAll(/,"epoch":"\w*"/g, ''));
  expect(await lossOf(hub, {}, () => asBefore().then(putBack))).toBeInstanceOf(LostFactsError);
  await hub.restart({ acceptLoss: true });
  await hub.restart({ acceptLoss: false });
  expect(await problemsIn(hub.ground)).toEqual([]);
  expect(await lossOf(hub, {}, putBack)).toBeInstanceOf(LostFactsError);
  await hub.stop();
});

describe('a data folder with remains of a hub', () => {
  test('[SYS-15] is never a new hub; a backup is restored into it, and revoked tokens stay revoked', async () => {
    const hub = await startTestHub('sqlite');
    const { owner, ground } = hub;
    await owner.call('putProvoke', { params: { kind: 'source', id: 'feed' }, body: { version: 0, object: { id: 'feed', types: ['*'] } } });
    const source = await owner.call('createToken', { body: { kind: 'source', label: 'feed', source: 'feed' } });
    const path = join(await mkdtemp(join(tmpdir(), 'parley-kept-')), 'backup');
    await backUp(ground, path);
    await owner.call('revokeToken', { params: { tokenId: source.token.id } });
    for (const acceptLoss of [false, true]) {
      const refused = await lossOf(hub, { acceptLoss }, () => removeDatabase(ground));
      expect(refused).toBeInstanceOf(LostFactsError);
      expect((refused as Error).message).toMatch(/no database.*heads\.log.*parley restore.*PARLEY_DATA/s);
      expect((await filesIn(ground.dataDir)).filter(isDatabase)).toEqual([]);
      await expect(openExisting(ground)).rejects.toThrow(LostFactsError);
    }
    const empty = join(ground.dataDir, 'parley.db');
    for (const make of [() => writeFile(empty, ''), async () => new DatabaseSync(empty).exec('create table other (id)')]) {
      await make();
      await expect(openExisting(ground)).rejects.toThrow(/no database of this hub any more.*heads\.log.*parley restore/s);
      await removeDatabase(ground);
    }
    // What was in the database is not only in heads.log.
    const heads = await readFile(join(ground.dataDir, 'heads.log'));
    await rm(join(ground.dataDir, 'heads.log'));
    for (const remains of ['peers', 'blobs']) {
      const inside = join(ground.dataDir, remains, 'aa');
      await mkdir(inside, { recursive: true });
      if (remains === 'blobs') await writeFile(join(inside, 'file'), '');
      expect(await lossOf(hub, { acceptLoss: false })).toBeInstanceOf(LostFactsError);
      await rm(join(ground.dataDir, remains), { recursive: true });
    }
    await writeFile(join(ground.dataDir, 'heads.log'), heads);
    // A log that stays behind would be read into the next database.
    await writeFile(join(ground.dataDir, 'parley.db-wal'), 'old');
    await expect(restoreBackup({ path, dataDir: ground.dataDir, epoch: 'aaaa' })).rejects.toMatchObject({ failure: 'occupied' });
    await removeDatabase(ground);
    await restoreBackup({ path, dataDir: ground.dataDir, epoch: 'aaaa' });
    const { tokens } = await dump(ground);
    expect(tokens!.find(({ id }) => id === source.token.id)!['revoked_at']).not.toBeNull();
    await hub.restart();
    await hub.stop();
  });

  test('[SYS-15] has more in it than files that people put there before the first start', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-'));
    for (const name of ['agents/helper', 'triggers', 'manifests', 'secrets', 'peers', 'blobs/aa'])
      await mkdir(join(dataDir, name), { recursive: true });
    await writeFile(join(dataDir, 'tools.yaml'), '');
    await writeFile(join(dataDir, 'heads.log'), '{"revoked":"tok_1"}\n{"seq":');
    await writeFile(join(dataDir, 'checksum.key'), 'a'.repeat(64));
    const hub = await startHub(readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_LOG: 'silent' }), { sync: false });
    await hub.stop();
    await access(join(dataDir, 'parley.db'));
    await rm(dataDir, { recursive: true });
  });
});

test('[SYS-15] a hub whose PostgreSQL comes back with fewer facts stops, and writes nothing', async () => {
  const lost: Error[] = [];
  const hub = await startTestHub('postgres', { onLoss: (error) => void lost.push(error) }, { PARLEY_LOG: 'silent' });
  const general = await hub.general();
  for (let n = 0; n < 5; n++) await hub.owner.post(general, `said ${n}`);
  const server = new pg.Client({ connectionString: hub.ground.databaseUrl });
  await server.connect();
  await server.query('delete from facts where seq > (select max(seq) - 3 from facts)');
  const count = async () => (await server.query<{ n: string }>('select count(*) as n from facts')).rows[0]!.n;
  const left = await count();
  await server.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await expect
    .poll(async () => (await hub.owner.ask('postMessage', { params: { conversationId: general }, body: { body: 'more' } })).status)
    .toBe(503);
  await expect.poll(() => lost.length).toBeGreaterThan(0);
  expect(lost[0]).toBeInstanceOf(LostFactsError);
  expect(await count()).toBe(left);
  await server.end();
  await hub.stop();
});

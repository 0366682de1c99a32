import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, restoreBackup, startHub } from '@parley/hub';
import { freshGround, onBothEngines, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUp, dump, placeOf } from '../kit/backup.ts';

onBothEngines('secrets', (engine) => {
  const env: Record<string, string | undefined> = {};
  let kit: TestHub;
  let admin: Person;
  let folder: string;
  let elsewhere: string;
  beforeAll(async () => {
    kit = await startTestHub(engine, { agents: [], env });
    admin = await kit.person('admin', 'admin');
    folder = join(kit.ground.dataDir, 'secrets');
    elsewhere = await mkdtemp(join(tmpdir(), 'parley-secrets-'));
  });
  afterAll(async () => {
    await kit.stop();
    await rm(elsewhere, { recursive: true });
  });

  const keyFor = (name: string) => kit.hub.kernel.keys.keyFor(name);
  const set = (name: string, value: string, who = admin) => who.ask('setSecret', { params: { name }, body: { value } });
  const listed = async (name: string) => (await admin.call('listSecrets', {})).secrets.find((one) => one.name === name);

  test('[SYS-11] a key that is set is had again by whoever runs the hub, and told to nobody', async () => {
    const { status, body } = await set('mine', 'sk-very-secret');
    expect([status, body]).toMatchObject([200, { name: 'mine', from: 'stored', problem: null, setBy: admin.id }]);
    expect(await keyFor('mine')).toBe('sk-very-secret');
    expect(await listed('mine')).toEqual(body);
    expect(JSON.stringify(await dump(kit.ground))).not.toContain('very-secret');
  });

  test('[SYS-11] sealed for its name: put under another it is worth nothing', async () => {
    const { store } = kit.hub.kernel;
    const [row] = await store.rows('secrets', "where name = 'mine'");
    const again = kit.hub.kernel.keys.seal('mine', 'sk-very-secret');
    expect(again).not.toBe(row!.sealed);
    await kit.hub.kernel.engine.submit({ type: 'secret.set', hosts: [], by: { operator: true }, name: 'other', sealed: row!.sealed });
    await expect(keyFor('other')).rejects.toThrow('The secret other was sealed with another secrets.key');
    expect((await listed('other'))!.problem).toContain('set it again');
    await admin.call('removeSecret', { params: { name: 'other' } });
    expect(await keyFor('other')).toBeUndefined();
    expect((await admin.ask('removeSecret', { params: { name: 'other' } })).body.error?.code).toBe('not_found');
  });

  test('[SYS-11] only owners and admins set, list or remove one', async () => {
    const agent = await kit.agent('AGENT');
    for (const who of [await kit.person('ann'), await kit.person('guest', 'guest'), agent]) {
      expect((await set('mine', 'x', who)).body.error?.code).toBe('forbidden');
      expect((await who.ask('listSecrets', {})).body.error?.code).toBe(who === agent ? 'outside_task' : 'forbidden');
      expect((await who.ask('removeSecret', { params: { name: 'mine' } })).body.error?.code).toBe('forbidden');
    }
  });

  test.each(['../operator.key', 'Mine', 'a-b', '', 'x'.repeat(64)])('a name like %j is refused', async (name) => {
    expect([400, 404]).toContain((await set(name, 'x')).status);
    expect(await keyFor(name)).toBeUndefined();
  });

  test('a file that only its owner may read wins over what is stored', async () => {
    await writeFile(join(folder, 'mine'), 'from-a-file\n', { mode: 0o600 });
    expect(await keyFor('mine')).toBe('from-a-file');
    expect(await listed('mine')).toMatchObject({ from: 'file', problem: null, setBy: null });
  });

  test('a file that others may read, a link and a folder are refused, with what to do', async () => {
    await chmod(join(folder, 'mine'), 0o640);
    await expect(keyFor('mine')).rejects.toThrow('chmod 600 secrets/mine');
    expect((await listed('mine'))!.problem).toContain('can be read by others');
    await writeFile(join(elsewhere, 'target'), 'not-yours', { mode: 0o600 });
    await symlink(join(elsewhere, 'target'), join(folder, 'linked'));
    await expect(keyFor('linked')).rejects.toThrow('is a link');
    await mkdir(join(folder, 'nested'));
    await expect(keyFor('nested')).rejects.toThrow('The secret nested');
    await rm(join(folder, 'mine'));
  });

  test('the environment wins over both, and has the providers’ usual names', async () => {
    Object.assign(env, { PARLEY_SECRET_MINE: 'from-the-environment', ANTHROPIC_API_KEY: 'sk-ant' });
    expect([await keyFor('mine'), await keyFor('anthropic'), await keyFor('openai')]).toEqual([
      'from-the-environment',
      'sk-ant',
      undefined,
    ]);
    expect([(await listed('mine'))!.from, (await listed('anthropic'))!.from]).toEqual(['environment', 'environment']);
    delete env['PARLEY_SECRET_MINE'];
    delete env['ANTHROPIC_API_KEY'];
  });

  test('[SYS-6] an admin who stores a value moves no key of the environment to another host', async () => {
    const reach = (name: string, host: string) => kit.hub.kernel.keys.keyFor(name, host).catch((error: Error) => error.name);
    const store = (name: string, hosts: string[]) => admin.call('setSecret', { params: { name }, body: { value: 'mine', hosts } });
    Object.assign(env, { PARLEY_SECRET_TICKETS: 'sk-tickets', ANTHROPIC_API_KEY: 'sk-ant' });
    expect(await reach('tickets', 'tickets.example')).toBe('sk-tickets');
    for (const name of ['tickets', 'anthropic']) await store(name, ['evil.example']);
    const tries = async () => [await reach('tickets', 'evil.example'), await reach('anthropic', 'evil.example')];
    expect(await tries()).toEqual(['KeyBound', 'KeyBound']);
    expect((await listed('anthropic'))!.hosts).toEqual(['api.anthropic.com']);
    for (const name of ['tickets', 'anthropic']) await admin.call('removeSecret', { params: { name } });
    expect(await tries()).toEqual(['KeyBound', 'KeyBound']);
    // Nor one that comes to the environment later.
    await store('later', ['evil.example']);
    expect(await reach('later', 'evil.example')).toBe('mine');
    env['PARLEY_SECRET_LATER'] = 'sk-later';
    await kit.owner.call('bindSecret', { params: { name: 'later' }, body: { hosts: ['later.example'] } });
    expect([await reach('later', 'later.example'), await reach('later', 'evil.example')]).toEqual(['sk-later', 'KeyBound']);
    for (const name of ['PARLEY_SECRET_TICKETS', 'PARLEY_SECRET_LATER', 'ANTHROPIC_API_KEY']) delete env[name];
    // The stored value stays where whoever set it sent it.
    expect([await reach('later', 'evil.example'), await reach('later', 'later.example')]).toEqual(['mine', 'KeyBound']);
  });

  test('[SYS-15] after a restart it is had again; a backup that is restored elsewhere says that it cannot be', async () => {
    await kit.restart();
    expect(await keyFor('mine')).toBe('sk-very-secret');
    const { path } = await backUp(kit.ground, join(elsewhere, 'backup'));
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    await restoreBackup({ path, ...place, epoch: 'bbbb' });
    const other = await startHub(
      readConfig({ PARLEY_PORT: '0', PARLEY_DATA: place.dataDir, PARLEY_DATABASE_URL: ground.databaseUrl, PARLEY_LOG: 'error' }),
      { sync: false },
    );
    try {
      await expect(other.kernel.keys.keyFor('mine')).rejects.toThrow('sealed with another secrets.key');
    } finally {
      await other.stop();
      await ground.clear();
    }
  });

  test('[SYS-14] who set it is forgotten with them; the secret stays', async () => {
    await kit.owner.call('eraseMember', { params: { memberId: admin.id } });
    const { secrets } = await kit.owner.call('listSecrets', {});
    expect(secrets.find(({ name }) => name === 'mine')).toMatchObject({ setBy: null, problem: null });
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChildHub, often, Random, seedFromEnv } from '@parley/testkit';
import { startNats } from '@parley/testkit/nats';
import { newIdentity, RelayClient, type RelayIdentity } from '@parley/testkit/relay';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { inviteTo, openRelayStore, readRelayConfig } from '../src/index.ts';
import { BusyPeople, mustHaveAll } from './kit/kill-people.ts';
import { needNats, newPrefix } from './kit/nats.ts';

const script = fileURLToPath(new URL('./kit/killable.ts', import.meta.url));

const settingsFor = (dataDir: string, servers: string): Record<string, string> => ({
  PARLEY_RELAY_DATA: dataDir,
  PARLEY_RELAY_NATS: servers,
  PARLEY_RELAY_NATS_PREFIX: newPrefix(),
  PARLEY_RELAY_PORT: '0',
  PARLEY_RELAY_QUEUE: '1000',
  PARLEY_RELAY_FRAMES_PER_MINUTE: '10000000',
  PARLEY_RELAY_FRAMES_PER_DAY: '10000000',
  PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '10000000',
});

async function processesWith(count: number, servers: string, change: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-relay-kill-'));
  const env = { ...settingsFor(dataDir, servers), ...change };
  const processes = Array.from({ length: count }, () => new ChildHub({ ground: { dataDir, databaseUrl: undefined }, script, env }));
  onTestFinished(async () => {
    for (const one of processes) await one.end();
    await rm(dataDir, { recursive: true, force: true });
  });
  for (const one of processes) await one.start();
  return { processes, env };
}

async function peopleAt(url: string, env: Record<string, string>): Promise<RelayIdentity[]> {
  const store = await openRelayStore(readRelayConfig(env), pino({ level: 'silent' }));
  const people: RelayIdentity[] = [];
  for (const name of ['ann', 'bob', 'eve']) {
    const who = newIdentity(name);
    const client = await RelayClient.connect(url);
    expect(await client.register(who, (await inviteTo(store, Date.now())).code)).toMatchObject({ type: 'ready' });
    await client.leave();
    people.push(who);
  }
  await store.close();
  return people;
}

test('[A2C-6] processes that are killed again and again under load lose no stored packet, repeat none to an application, and keep the order', async ({
  skip,
}) => {
  const random = new Random(seedFromEnv());
  const { processes, env } = await processesWith(2, needNats(skip));
  const any = (): ChildHub => processes[random.int(processes.length)]!;
  const people = new BusyPeople(await peopleAt((await any().up()).url, env), random);
  onTestFinished(() => people.end());
  people.begin(async () => (await any().up()).url);
  for (let kills = 0; kills < often(5, 200, 20); kills += 1) {
    await people.more(random.int(80) + 1);
    const victim = any();
    await victim.kill();
    victim.begin();
  }
  await mustHaveAll(people);
  for (const { log } of processes) expect(log).toBe('');
});

test('[A2C-6] a cluster of three NATS servers, each of which is killed once under load, loses no stored packet and keeps the order', async ({
  skip,
}) => {
  needNats(skip);
  const random = new Random(seedFromEnv());
  const nats = (await startNats(3))!;
  onTestFinished(() => nats.stop());
  const { processes, env } = await processesWith(2, nats.url, { PARLEY_RELAY_NATS_REPLICAS: '3' });
  const any = (): ChildHub => processes[random.int(processes.length)]!;
  const people = new BusyPeople(await peopleAt((await any().up()).url, env), random);
  onTestFinished(() => people.end());
  people.begin(async () => (await any().up()).url);
  for (const server of nats.servers) {
    await people.more(100);
    await server.kill();
    await people.more(100);
    await server.start();
  }
  await people.more(100);
  await mustHaveAll(people);
});

test('[A2C-6] a single NATS server that is killed under load and started again loses no stored packet and keeps the order', async ({
  skip,
}) => {
  needNats(skip);
  const random = new Random(seedFromEnv());
  const nats = (await startNats())!;
  onTestFinished(() => nats.stop());
  const { processes, env } = await processesWith(2, nats.url);
  const any = (): ChildHub => processes[random.int(processes.length)]!;
  const people = new BusyPeople(await peopleAt((await any().up()).url, env), random);
  onTestFinished(() => people.end());
  people.begin(async () => (await any().up()).url);
  for (let kills = 0; kills < 3; kills += 1) {
    await people.more(100);
    await nats.servers[0]!.kill();
    await nats.servers[0]!.start();
  }
  await people.more(100);
  await mustHaveAll(people);
});

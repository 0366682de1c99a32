// Two relays under different names, each a process that is killed again and again while people at both write to each other.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChildHub, often, Random, seedFromEnv } from '@parley/testkit';
import { freePort } from '@parley/testkit/free-port';
import { newIdentity, RelayClient, type RelayIdentity } from '@parley/testkit/relay';
import { expect, onTestFinished, test } from 'vitest';
import { inviteTo, openRelayFolder } from '../src/index.ts';
import { BusyPeople, mustHaveAll } from './kit/kill-people.ts';

const script = fileURLToPath(new URL('./kit/killable.ts', import.meta.url));
const many = '10000000';

interface KillableRelay {
  name: string;
  dataDir: string;
  process: ChildHub;
}

async function killableRelay(): Promise<KillableRelay> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-relay-kill-'));
  const port = await freePort();
  const name = `localhost:${port}`;
  const env = {
    PARLEY_RELAY_DATA: dataDir,
    PARLEY_RELAY_NAME: name,
    PARLEY_RELAY_PORT: String(port),
    PARLEY_RELAY_FEDERATION: 'on',
    PARLEY_RELAY_FEDERATION_PRIVATE: '1',
    PARLEY_RELAY_FEDERATION_FRAMES_PER_MINUTE: many,
    PARLEY_RELAY_FEDERATION_FRAMES_PER_DAY: many,
    PARLEY_RELAY_QUEUE: '100000',
    PARLEY_RELAY_FRAMES_PER_MINUTE: many,
    PARLEY_RELAY_FRAMES_PER_DAY: many,
    PARLEY_RELAY_CONNECTIONS_PER_MINUTE: many,
  };
  const process = new ChildHub({ ground: { dataDir, databaseUrl: undefined }, script, env });
  onTestFinished(async () => {
    await process.end();
    await rm(dataDir, { recursive: true, force: true });
  });
  await process.start();
  return { name, dataDir, process };
}

async function registered({ name, dataDir, process }: KillableRelay, who: string): Promise<RelayIdentity> {
  const { store } = openRelayFolder(dataDir);
  const { code } = await inviteTo(store, Date.now());
  await store.close();
  const identity = newIdentity(who, name);
  const client = await RelayClient.connect((await process.up()).url);
  expect(await client.register(identity, code)).toMatchObject({ type: 'ready' });
  await client.leave();
  return identity;
}

test('[A2C-10] [A2C-6] two relays that are killed again and again lose no stored packet between them, repeat none, and keep the order', async () => {
  const random = new Random(seedFromEnv());
  const relays = [await killableRelay(), await killableRelay()];
  const people = [
    await registered(relays[0]!, 'ann'),
    await registered(relays[0]!, 'cem'),
    await registered(relays[1]!, 'bob'),
    await registered(relays[1]!, 'eve'),
  ];
  const homeOf = ({ address }: RelayIdentity): KillableRelay => relays.find(({ name }) => address.endsWith(`@${name}`))!;
  // The relays meet before anybody writes.
  for (const [one, other] of [[people[0]!, people[2]!] as const, [people[2]!, people[0]!] as const]) {
    const client = await RelayClient.connect((await homeOf(one).process.up()).url);
    await client.login(one);
    expect(await client.request({ type: 'lookup', ref: '1', address: other.address, package: false })).toMatchObject({
      code: 'not_published',
    });
    await client.leave();
  }
  const busy = new BusyPeople(people, random);
  onTestFinished(() => busy.end());
  busy.begin(async (who) => (await homeOf(who).process.up()).url);
  for (let kills = 0; kills < often(5, 200, 30); kills += 1) {
    await busy.more(20 + random.int(200));
    const { process } = relays[random.int(2)]!;
    await process.kill();
    process.begin();
    if (random.int(5) > 0) continue;
    await process.kill();
    process.begin();
  }
  await mustHaveAll(busy);
});

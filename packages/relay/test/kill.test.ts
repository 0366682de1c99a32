import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChildHub, often, Random, seedFromEnv } from '@parley/testkit';
import { newIdentity, RelayClient, type RelayIdentity } from '@parley/testkit/relay';
import { expect, onTestFinished, test } from 'vitest';
import { inviteTo, openRelayFolder } from '../src/index.ts';
import { Reader, Writer } from './kit/kill-load.ts';

const script = fileURLToPath(new URL('./kit/killable.ts', import.meta.url));

/** Connects and logs in, again and again, until a relay lives long enough for it. */
async function logIn(relay: ChildHub, who: RelayIdentity): Promise<RelayClient> {
  for (;;) {
    const { url } = await relay.up();
    try {
      const client = await RelayClient.connect(url);
      const answer = await client.login(who);
      if (answer.type !== 'ready') throw new Error(`not admitted: ${JSON.stringify(answer)}`);
      return client;
    } catch (error) {
      if (String(error).includes('not admitted')) throw error;
    }
  }
}

async function registered(relay: ChildHub, folder: string, name: string): Promise<RelayIdentity> {
  const { store } = openRelayFolder(folder);
  const { code } = await inviteTo(store, Date.now());
  await store.close();
  const who = newIdentity(name);
  const client = await RelayClient.connect((await relay.up()).url);
  expect(await client.register(who, code)).toMatchObject({ type: 'ready' });
  await client.leave();
  return who;
}

test('[A2C-6] a relay that is killed again and again under load loses no stored packet, repeats none to an application, and keeps the order', async () => {
  const random = new Random(seedFromEnv());
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-relay-kill-'));
  const env = {
    PARLEY_RELAY_DATA: dataDir,
    PARLEY_RELAY_PORT: '0',
    PARLEY_RELAY_QUEUE: '1000',
    PARLEY_RELAY_FRAMES_PER_MINUTE: '10000000',
    PARLEY_RELAY_FRAMES_PER_DAY: '10000000',
    PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '10000000',
  };
  const relay = new ChildHub({ ground: { dataDir, databaseUrl: undefined }, script, env });
  let isOver = false;
  onTestFinished(async () => {
    isOver = true;
    await relay.end();
    await rm(dataDir, { recursive: true, force: true });
  });
  await relay.start();
  const people: RelayIdentity[] = [];
  for (const name of ['ann', 'bob', 'eve']) people.push(await registered(relay, dataDir, name));
  const writers = people.map(
    (who) =>
      new Writer(
        who,
        people.filter((other) => other !== who),
      ),
  );
  const readers = people.map((who) => new Reader(who, random));

  let failure: unknown;
  let stored = 0;
  let next = Promise.withResolvers<void>();
  let killAt = 20;
  const onStored = (): void => {
    if ((stored += 1) >= killAt) next.resolve();
  };
  const fail = (error: unknown): void => {
    if (isOver) return;
    failure ??= error;
    next.reject(error);
  };
  const live = async (index: number): Promise<void> => {
    for (;;) {
      if (isOver) return;
      const client = await logIn(relay, people[index]!);
      client.socket.on('error', () => {});
      readers[index]!.run(client);
      writers[index]!.run(client, onStored, fail);
      await client.untilClosed();
    }
  };
  for (const index of people.keys()) live(index).catch(fail);

  for (let kills = 0; kills < often(5, 1000, 100); kills += 1) {
    await next.promise;
    next = Promise.withResolvers();
    killAt = stored + random.int(80);
    await relay.kill();
    relay.begin();
    // Some die while they start.
    if (random.int(5) === 0) {
      await relay.kill();
      relay.begin();
    }
  }
  for (const writer of writers) writer.finish();
  const expected = (to: RelayIdentity) =>
    Object.fromEntries(writers.filter(({ who }) => who !== to).map(({ who, stored: of }) => [who.address, of.get(to.address) ?? 0]));
  await expect.poll(() => failure ?? writers.every(({ isDone }) => isDone)).toBe(true);
  for (const [index, reader] of readers.entries()) {
    await expect
      .poll(() => Object.fromEntries([...reader.got].map(([from, numbers]) => [from, numbers.length])))
      .toEqual(expected(people[index]!));
    for (const [from, numbers] of reader.got)
      expect(numbers, `${from} to ${reader.who.address}, seed ${random.seed}`).toEqual(numbers.map((_, number) => number));
  }
  expect(failure).toBeUndefined();
  expect(relay.log).toBe('');
});

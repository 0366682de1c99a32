import { expect, test } from 'vitest';
import { newPair, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const numbers = async (person: Person): Promise<number[]> => (await person.contexts()).map((context) => (context as { n: number }).n);

test('[A2C-7] packets that the relay lost are found by summaries and sent again, each once', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  for (const n of [1, 2, 3, 4]) await ann.send(bob, { n });
  await relay.stop();
  relay.lose(1, 3);
  await relay.start();
  ann.online();
  bob.online();
  await expect.poll(async () => new Set(await numbers(bob))).toEqual(new Set([1, 2, 3, 4]));
  await ann.sendOnline(bob, { n: 5 });
  await expect.poll(() => numbers(bob)).toHaveLength(5);
});

test('[A2C-7] a link comes back after the relay restarts, and the outbox goes out in order', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  ann.online();
  bob.online();
  await expect.poll(() => ann.events).toContainEqual({ type: 'connected' });
  await relay.stop();
  for (const n of [1, 2, 3]) await ann.peer.write(bob.address, { type: 'context', context: { n } });
  await relay.start();
  await expect.poll(() => numbers(bob)).toEqual([1, 2, 3]);
  expect(ann.events.filter(({ type }) => type === 'connected').length).toBeGreaterThan(1);
});

test('[A2C-7] a relay that is away for 48 hours is said once, also over a restart', async () => {
  const relay = await startRelay();
  const [ann] = await newPair(relay);
  await relay.stop();
  ann.online();
  await expect.poll(() => ann.events.filter(({ type }) => type === 'disconnected').length).toBeGreaterThan(1);
  expect(ann.events.filter(({ type }) => type === 'relay_down')).toEqual([]);
  await ann.close();
  await ann.open();
  ann.ahead = 48 * 3_600_000;
  ann.online();
  await expect.poll(() => ann.events.filter(({ type }) => type === 'relay_down')).toHaveLength(1);
  const before = ann.events.length;
  await expect.poll(() => ann.events.length).toBeGreaterThan(before + 3);
  expect(ann.events.filter(({ type }) => type === 'relay_down')).toHaveLength(1);
  await relay.start();
});

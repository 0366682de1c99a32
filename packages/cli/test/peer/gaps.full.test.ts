import { expect, test } from 'vitest';
import { newPair, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const minute = 60_000;

/** Written and then gone, as if the relay had lost them. */
async function writeLost(from: Person, to: Person, ns: readonly number[]): Promise<void> {
  for (const n of ns) {
    const { key } = await from.peer.write(to.address, { type: 'context', context: { n } });
    await from.store.commit([{ remove: 'outbox', key }]);
  }
}

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

test.each(['ready', 'done'])('[A2C-7] a relay that refuses for the moment, instead of saying %s, is tried again', async (answer) => {
  const [ann] = await newPair(await startRelay());
  let refusals = 0;
  ann.meddler = {
    fromRelay: (data) => {
      const message = typeof data === 'string' ? (JSON.parse(data) as { type: string; ref?: string }) : undefined;
      if (message?.type !== answer || refusals > 0) return data;
      refusals += 1;
      return JSON.stringify({ type: 'refused', code: 'draining', message: 'The relay is shutting down.', ref: message.ref });
    },
  };
  ann.online();
  await expect.poll(() => ann.events).toContainEqual({ type: 'connected' });
  expect(ann.events[0]).toMatchObject({ type: 'disconnected', reason: expect.stringContaining('shutting down') });
});

test('[A2C-7] a command ends also while packets come without a pause', async () => {
  const [ann, bob] = await newPair(await startRelay());
  ann.online();
  await expect.poll(() => ann.events).toContainEqual({ type: 'connected' });
  await ann.sendOnline(bob, { n: 0 });
  const command = { hasEnded: false };
  const ended = bob.exchange().finally(() => (command.hasEnded = true));
  for (let n = 1; n < 900 && !command.hasEnded; n += 1) await ann.sendOnline(bob, { n });
  expect(command.hasEnded).toBe(true);
  await ended;
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

test('[A2C-7] a gap that shows while both are connected is filled without a reconnect', async () => {
  const [ann, bob] = await newPair(await startRelay());
  // Before anybody is on the line: an open one sends what lies in the outbox.
  await writeLost(ann, bob, [1]);
  for (const one of [ann, bob]) one.online();
  for (const one of [ann, bob]) await expect.poll(() => one.events).toContainEqual({ type: 'connected' });
  await ann.sendOnline(bob, { n: 2 });
  await expect.poll(() => numbers(bob)).toContain(2);
  bob.ahead += minute;
  await expect.poll(() => numbers(bob)).toEqual([2, 1]);
  expect(bob.events.filter(({ type }) => type === 'connected')).toHaveLength(1);
});

test('[A2C-7] a gap of more than 100 packets heals, 100 a minute, and a peer gets no more for its summaries', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await writeLost(
    ann,
    bob,
    Array.from({ length: 130 }, (_, n) => n + 1),
  );
  for (const one of [ann, bob]) one.online();
  await expect.poll(() => ann.events).toContainEqual({ type: 'connected' });
  await ann.sendOnline(bob, { n: 131 });
  bob.ahead += minute;
  await expect.poll(() => numbers(bob)).toHaveLength(101);
  for (const one of [ann, bob]) one.ahead += minute;
  await expect.poll(async () => new Set(await numbers(bob)).size).toBe(131);
  expect(await numbers(bob)).toHaveLength(131);
  await ann.sendOnline(bob, { n: 132 });
  await expect.poll(() => numbers(bob)).toHaveLength(132);
  expect((await bob.store.list('negotiation')).map(({ value }) => value)).toMatchObject([{ received: [{ ranges: [[1, 132]] }] }]);
});

test('[A2C-7] a packet that was given up is not sent for a summary either, and its number is no gap for ever', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  // The relay refuses it for good.
  ann.meddler = { toRelay: (data) => (typeof data === 'string' ? data : data.with(data.length - 1, data.at(-1)! ^ 1)) };
  await expect(ann.send(bob, { n: 2 })).rejects.toMatchObject({ message: expect.stringContaining('is not tried again') });
  ann.meddler = {};
  await ann.send(bob, { n: 3 });
  for (const one of [bob, ann, bob]) await one.exchange();
  expect(await numbers(bob)).toEqual([1, 3]);
  expect((await bob.store.list('negotiation')).map(({ value }) => value)).toMatchObject([{ received: [{ ranges: [[1, 3]] }] }]);
});

test('[A2C-7] people who use only commands get the last packet that the relay lost, once nothing moved for a minute', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  await ann.send(bob, { n: 2 });
  await relay.stop();
  relay.lose(0);
  await relay.start();
  const frames = ann.watchFrames();
  for (const one of [ann, bob, ann, bob]) await one.exchange();
  expect(await numbers(bob)).toEqual([1]);
  expect(frames).toEqual([]);
  for (const one of [relay, ann, bob]) one.ahead += minute;
  for (const one of [ann, bob, ann, bob]) await one.exchange();
  expect(await numbers(bob)).toEqual([1, 2]);
});

test('[A2C-7] a summary and its answer are stored together, so that a full disk loses no answer', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  await writeLost(bob, ann, [2]);
  const frames: Uint8Array[] = [];
  ann.meddler = { toRelay: (data) => (typeof data === 'string' || frames.push(data), data) };
  await ann.peer.summarise(true);
  await ann.exchange();
  const commit = bob.store.commit.bind(bob.store);
  let commits = 0;
  bob.store.commit = async (changes) => {
    if ((commits += 1) > 1) throw new Error('The disk is full.');
    await commit(changes);
  };
  await bob.peer.receive(frames[0]!).catch(() => {});
  bob.store.commit = commit;
  expect(await bob.peer.receive(frames[0]!)).toEqual({ kind: 'repeated' });
  expect(await bob.store.list('outbox')).toMatchObject([{ value: { to: ann.address } }]);
});

test('[A2C-9] a peer that says again and again that nothing came gets 100 frames a minute for it', async () => {
  const [ann, bob] = await newPair(await startRelay());
  for (const one of [ann, bob]) one.online();
  await expect.poll(() => [ann, bob].every(({ events }) => events.some(({ type }) => type === 'connected'))).toBe(true);
  for (let n = 1; n <= 40; n += 1) await ann.sendOnline(bob, { n });
  await expect.poll(() => numbers(bob)).toHaveLength(40);
  const { packet } = (await bob.peer.inbox())[0]!;
  const threadId = packet.thread_id;
  const { address: from } = bob;
  for (let n = 0; n < 4; n += 1) {
    const id = `pkt_0000000${n}`;
    const head = { protocol: packet.protocol, packet_id: id, thread_id: threadId, from, to: ann.address, type: 'thread_summary' };
    const text = JSON.stringify({ ...head, timestamp: new Date().toISOString(), summary: { threads: [{ thread_id: threadId }] } });
    await bob.store.commit([{ put: 'outbox', key: id, value: { to: ann.address, history: null, threadId, text, sealed: null } }]);
    await bob.link.deliver(id);
    await expect.poll(() => ann.events.filter(({ type }) => type === 'arrival').length).toBeGreaterThan(n);
    await expect.poll(() => ann.store.list('outbox')).toEqual([]);
  }
  await ann.sendOnline(bob, { n: 41 });
  await expect.poll(() => numbers(bob)).toHaveLength(41);
  const repeated = bob.events.filter((event) => event.type === 'arrival' && event.arrival.kind === 'repeated');
  expect(repeated).toHaveLength(100);
});

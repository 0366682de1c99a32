import { expect, test } from 'vitest';
import { groupOf } from '@parley/peer';
import { readFrame, toBase64Url } from '@parley/protocol/relay';
import { newPair, newPerson } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const day = 86_400_000;
const hour = 3_600_000;
const isText = (data: string | Uint8Array, type: string): boolean => typeof data === 'string' && data.includes(`"type":"${type}"`);

test('[A2C-6] a frame that is replayed after a restart is dropped', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames = bob.watchFrames();
  await ann.send(bob, { once: true });
  await bob.exchange();
  await bob.close();
  await bob.open();
  expect(await bob.peer.receive(frames[0]!)).toEqual({ kind: 'repeated' });
  expect(await bob.contexts()).toEqual([{ once: true }]);
});

test('[A2C-6] a lost acknowledgement leads to a repeat that nobody sees', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  bob.meddler = { toRelay: (data) => (isText(data, 'ack') ? undefined : data) };
  await bob.exchange();
  bob.meddler = {};
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }]);
  expect(bob.events).toContainEqual({ type: 'arrival', arrival: { kind: 'repeated' } });
});

test('[A2C-6] a packet that this peer fails to handle does not keep back the packets behind it', async () => {
  const [ann, bob] = await newPair(await startRelay());
  for (const n of [1, 2, 3]) await ann.send(bob, { n });
  const handle = bob.peer.onPacket!;
  let tries = 0;
  bob.peer.onPacket = async (staging, arrival) => {
    if (JSON.stringify(arrival.packet.context) === '{"n":2}' && (tries += 1)) throw new TypeError('a defect');
    await handle(staging, arrival);
  };
  for (let n = 0; n < 2; n += 1) await expect(bob.exchange()).rejects.toMatchObject({ code: 'relay_away' });
  expect(await bob.contexts()).toEqual([{ n: 1 }]);
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(bob.events).toContainEqual({ type: 'arrival', arrival: expect.objectContaining({ kind: 'dropped', reason: 'unhandled' }) });
  await bob.exchange();
  expect(tries).toBe(3);
});

test('[A2C-34] a lost answer of the relay leads to a retry of the same bytes', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames: Uint8Array[] = [];
  const toRelay = (data: string | Uint8Array): string | Uint8Array => (typeof data === 'string' || frames.push(data), data);
  ann.meddler = {
    toRelay,
    fromRelay: (data) => {
      if (!isText(data, 'stored')) return data;
      return 'not JSON, so the line is closed';
    },
  };
  await expect(ann.send(bob, { n: 1 })).rejects.toMatchObject({ code: 'relay_away' });
  ann.meddler = { toRelay };
  await ann.close();
  await ann.open();
  await ann.exchange();
  expect(frames).toHaveLength(2);
  expect(frames[1]).toEqual(frames[0]);
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }]);
});

test('[A2C-3] when both start at once, both read both, and once both are answered, both send on the one of the smaller key', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { from: 'ann' });
  // Bob seals before he has read.
  bob.meddler = { fromRelay: (data) => (typeof data === 'string' ? data : undefined) };
  await bob.send(ann, { from: 'bob' });
  bob.meddler = {};
  const [toAnn, toBob] = [ann.watchFrames(), bob.watchFrames()];
  await ann.exchange();
  await bob.exchange();
  expect([await ann.contexts(), await bob.contexts()]).toEqual([[{ from: 'bob' }], [{ from: 'ann' }]]);
  const groups = [toBob[0]!, toAnn[0]!].map((frame) => toBase64Url(groupOf(readFrame(frame).body)));
  expect(groups[0]).not.toBe(groups[1]);
  for (const n of [1, 2]) {
    await ann.send(bob, { n });
    await bob.send(ann, { n });
  }
  await ann.exchange();
  expect([await ann.contexts(), await bob.contexts()]).toMatchObject([
    [{}, { n: 1 }, { n: 2 }],
    [{}, { n: 1 }, { n: 2 }],
  ]);
  // Ann's first answer goes on the session of which she knows that Bob has it.
  const used = [...toAnn.slice(1), ...toBob.slice(2)].map((frame) => toBase64Url(groupOf(readFrame(frame).body)));
  const key = ({ peer }: typeof ann): string =>
    Buffer.from(readFrame((peer === ann.peer ? toBob : toAnn)[0]!).header.from_key, 'base64url').toString('hex');
  expect(new Set(used)).toEqual(new Set([key(ann) < key(bob) ? groups[0] : groups[1]]));
});

test('[A2C-5] a commit that the relay lost comes again with the next packet', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  await bob.send(ann, { lost: true });
  await relay.stop();
  relay.lose(0);
  await relay.start();
  await bob.send(ann, { n: 2 });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ n: 2 }]);
  await ann.send(bob, { n: 3 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }, { n: 3 }]);
});

test('[A2C-6] a full queue refuses the next packet and says so; it goes out once the recipient was online', async () => {
  const [ann, bob] = await newPair(await startRelay({ PARLEY_RELAY_QUEUE: '3' }));
  for (const n of [1, 2, 3]) await ann.send(bob, { n });
  await expect(ann.send(bob, { n: 4 })).rejects.toMatchObject({
    code: 'queue_full',
    message: expect.stringContaining('stays in the outbox'),
  });
  await expect(ann.send(bob, { n: 5 })).rejects.toMatchObject({ code: 'queue_full' });
  await bob.exchange();
  await ann.exchange();
  await bob.exchange();
  expect(await bob.contexts()).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })));
});

test('[A2C-6] a peer that stays online sends a refused packet once the queue has room again', async () => {
  const [ann, bob] = await newPair(await startRelay({ PARLEY_RELAY_QUEUE: '3' }));
  for (const n of [1, 2, 3]) await ann.send(bob, { n });
  ann.online();
  await expect.poll(() => ann.events).toContainEqual({ type: 'connected' });
  await expect(ann.sendOnline(bob, { n: 4 })).rejects.toMatchObject({ code: 'queue_full' });
  await bob.exchange();
  const looked = (): Promise<unknown[]> => bob.exchange().then(() => bob.contexts());
  await expect.poll(looked).toEqual([1, 2, 3, 4].map((n) => ({ n })));
  expect(ann.events.filter(({ type }) => type === 'refused')).toHaveLength(1);
});

test('[A2C-6] a packet that waits behind another says why that one waits, and not why a third does', async () => {
  const relay = await startRelay({ PARLEY_RELAY_QUEUE: '1' });
  const [ann, bob] = await newPair(relay);
  const cat = await newPerson(relay, 'cat');
  await ann.peer.add(cat.peer.card());
  for (const one of [cat, bob]) await ann.send(one, { n: 1 });
  for (const one of [cat, bob, cat])
    await expect(ann.send(one, { n: 2 })).rejects.toMatchObject({ code: 'queue_full', message: expect.stringContaining(one.address) });
});

test.each([hour, -hour])('[A2C-6] a clock that is off by %i ms changes nothing', async (off) => {
  const [ann, bob] = await newPair(await startRelay());
  ann.ahead = off;
  await ann.send(bob, { from: 'ann' });
  await bob.exchange();
  await bob.send(ann, { from: 'bob' });
  await ann.exchange();
  expect([await ann.contexts(), await bob.contexts()]).toEqual([[{ from: 'bob' }], [{ from: 'ann' }]]);
});

test('[A2C-6] a packet that waited for 30 days opens', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await ann.send(bob, { late: true });
  relay.ahead = bob.ahead = 30 * day;
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ late: true }]);
});

test('[A2C-3] a first packet on a key package of its last day opens after it waited for 30 days', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await bob.exchange();
  relay.ahead = ann.ahead = 39 * day;
  await ann.send(bob, { late: true });
  // Renews all packages, and does not get the packet.
  relay.ahead = bob.ahead = 45 * day;
  bob.meddler = { fromRelay: (data) => (typeof data === 'string' ? data : undefined) };
  await bob.exchange();
  relay.ahead = bob.ahead = 69 * day;
  bob.meddler = {};
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ late: true }]);
});

test('[A2C-3] a Welcome on the package of last resort is joined once, also after the session is gone', async () => {
  const [ann, bob] = await newPair(await startRelay());
  ann.meddler = { fromRelay: (data) => (isText(data, 'entry') ? String(data).replace(/"package":"[^"]*"/, '"package":null') : data) };
  const frames = bob.watchFrames();
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }]);
  const forget = async (kind: 'session' | 'seen', like: string): Promise<void> => {
    for (const { key } of await bob.store.list(kind)) if (key.startsWith(like)) await bob.store.commit([{ remove: kind, key }]);
  };
  await forget('session', '');
  await forget('seen', 'frame/');
  expect(await bob.peer.receive(frames[0]!)).toMatchObject({ kind: 'dropped', reason: 'no_session' });
});

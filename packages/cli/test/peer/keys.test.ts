import { expect, test } from 'vitest';
import { callsOf, newSigningKey, type OwnIdentity, readCard, signBytes, signFrame, writeCard } from '@parley/peer';
import { canonicalJson, type DirectoryStatement, fromBase64Url, readFrame, statementToSign, toBase64Url } from '@parley/protocol/relay';
import { exchangeCards, newPair, newPerson, type Person } from './people-kit.ts';
import { holdName, startRelay, ticketIn } from './relay-kit.ts';

const eveKey = newSigningKey();
const asEve = (own: Person): OwnIdentity => ({ address: own.address, key: eveKey, epoch: own.peer.self.epoch });

const publicKeyOf = ({ peer }: Person): Uint8Array => newSigningKey(fromBase64Url(peer.self.seed)).public;

/** A directory entry under another key, as a relay that lies would send it. */
function swapKey(data: string | Uint8Array): string | Uint8Array {
  const message = typeof data === 'string' ? (JSON.parse(data) as { type: string; statement: string }) : undefined;
  if (message?.type !== 'entry') return data;
  const statement = canonicalJson({ ...(JSON.parse(message.statement) as DirectoryStatement), key: toBase64Url(eveKey.public) });
  const signature = toBase64Url(signBytes(eveKey.secret, statementToSign('directory', statement)));
  return JSON.stringify({ ...message, statement, signature });
}

test('[A2C-4] a key that the relay swapped stops the line until the person accepts it; nothing is sent before', async () => {
  const [ann, bob] = await newPair(await startRelay());
  ann.meddler = { fromRelay: swapKey };
  const before = await ann.peer.verify(bob.address);
  await expect(ann.send(bob, { secret: 1 })).rejects.toMatchObject({ code: 'line_stopped' });
  expect(await ann.peer.list()).toMatchObject([{ address: bob.address, alarm: 'key_changed' }]);
  await expect(ann.send(bob, { secret: 2 })).rejects.toMatchObject({ code: 'line_stopped' });
  const { safetyNumber } = await ann.peer.verify(bob.address);
  expect(safetyNumber).not.toBe(before.safetyNumber);
  ann.meddler = {};
  await bob.exchange();
  expect(await bob.contexts()).toEqual([]);
  await expect(ann.peer.verify(bob.address, { accepts: before.safetyNumber })).rejects.toMatchObject({ code: 'bad_input' });
  expect(await ann.peer.list()).toMatchObject([{ alarm: 'key_changed' }]);
  const accepted = { accepted: true, alarm: null, trust: 'verified' };
  expect(await ann.peer.verify(bob.address, { accepts: safetyNumber.replaceAll(' ', '') })).toMatchObject(accepted);
});

test('[A2C-4] a person may refuse a changed key, and the line goes on with the one they had', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await expect(ann.peer.verify(bob.address, { keeps: true })).rejects.toMatchObject({ code: 'bad_input' });
  const before = await ann.peer.verify(bob.address);
  ann.meddler = { fromRelay: swapKey };
  await expect(ann.send(bob, { n: 1 })).rejects.toMatchObject({ code: 'line_stopped' });
  ann.meddler = {};
  const { trust, key, safetyNumber } = before;
  expect(await ann.peer.verify(bob.address, { keeps: true })).toMatchObject({ alarm: null, trust, key, safetyNumber });
  await ann.send(bob, { n: 2 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }, { n: 2 }]);
});

test('[A2C-1] [A2C-4] a key that replaces a lost one stops the line, which goes on once both people have compared', async () => {
  const relay = await startRelay();
  await holdName(relay, 'agent:bob@localhost');
  const [ann, lost] = [await newPerson(relay, 'ann'), await newPerson(relay, 'bob', 'first')];
  await exchangeCards(ann, lost);
  await ann.send(lost, { n: 1 });
  await lost.send(ann, { n: 2 });
  await ann.exchange();
  await relay.served.relay.store.putTicket(lost.address, ticketIn('second'));
  const bob = await newPerson(relay, 'bob', 'second');
  await bob.peer.add(ann.peer.card());
  await expect(ann.send(bob, { n: 3 })).rejects.toMatchObject({ code: 'line_stopped' });
  expect(await ann.peer.list()).toMatchObject([{ address: bob.address, alarm: 'key_changed' }]);
  await bob.exchange();
  expect(await bob.contexts()).toEqual([]);
  const { safetyNumber } = await bob.peer.verify(ann.address);
  await ann.peer.verify(bob.address, { accepts: safetyNumber });
  await ann.exchange();
  await bob.exchange();
  expect(await bob.contexts()).toContainEqual({ n: 3 });
  await bob.send(ann, { n: 4 });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ n: 2 }, { n: 4 }]);
  await expect(lost.send(ann, { n: 5 })).rejects.toThrow('registered with another key');
});

test('[A2C-1] [A2C-8] a device whose key a ticket replaced says so, and does not name a takeover', async () => {
  const relay = await startRelay();
  await holdName(relay, 'agent:bob@localhost');
  const lost = await newPerson(relay, 'bob', 'first');
  lost.online();
  await expect.poll(() => lost.events).toContainEqual({ type: 'connected' });
  await relay.served.relay.store.putTicket(lost.address, ticketIn('second'));
  await newPerson(relay, 'bob', 'second');
  const reason = expect.stringContaining('is registered with another key now');
  await expect.poll(() => lost.events.at(-1)).toMatchObject({ type: 'disconnected', reason, retryMs: null });
  expect(lost.peer.self.displacedBy).toBeNull();
  await expect(lost.exchange()).rejects.toMatchObject({ code: 'key_replaced', message: reason });
});

test('[A2C-10] a packet to somebody at another relay fails where the own relay exchanges packets with none', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const address = 'agent:bob@other.example';
  for (const word of [address, writeCard({ ...readCard(bob.peer.card()), address })]) await ann.peer.add(word);
  const { key } = await ann.peer.write(address, { type: 'context', context: {} });
  await expect(ann.link.exchange(() => ann.link.deliver(key))).rejects.toThrow(
    'agent:bob@other.example is at another relay, and localhost exchanges packets with none. Ask its operator. It was not sent, and is not tried again.',
  );
  expect(await ann.peer.failures()).toHaveLength(1);
});

test('[A2C-4] a packet that came while the line was stopped is sent again once the person keeps the key', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames = bob.watchFrames();
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  const { header, body } = readFrame(frames[0]!);
  const forged = { ...header, packet_id: 'pkt_forged0003', from_key: toBase64Url(eveKey.public) };
  expect(await bob.peer.receive(signFrame(asEve(ann), forged, body))).toMatchObject({ kind: 'stopped' });
  await ann.send(bob, { n: 2 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }]);
  await bob.peer.verify(ann.address, { keeps: true });
  for (const one of [bob, ann, bob]) await one.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }, { n: 2 }]);
});

test('[A2C-4] every inbox names a stopped line until the person decides', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames = bob.watchFrames();
  const commands = callsOf(bob.link, (act) => bob.link.exchange(act), bob.negotiations);
  await ann.send(bob, { n: 1 });
  expect(await commands.inbox()).toMatchObject({ packets: [{ context: { n: 1 } }], stopped: [] });
  const { header, body } = readFrame(frames[0]!);
  const forged = { ...header, packet_id: 'pkt_forged0004', from_key: toBase64Url(eveKey.public) };
  await bob.peer.receive(signFrame(asEve(ann), forged, body));
  for (const _ of [1, 2]) expect(await commands.inbox()).toMatchObject({ stopped: [{ address: ann.address, alarm: 'key_changed' }] });
  await commands.verify({ address: ann.address, keeps: true });
  expect(await commands.inbox()).toMatchObject({ stopped: [] });
});

test('[A2C-4] an address alone stays unverified; its first key is pinned', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await ann.store.commit([{ remove: 'peer', key: bob.address }]);
  expect(await ann.peer.add(bob.address)).toMatchObject({ trust: 'unverified', key: null });
  await ann.send(bob, { hello: true });
  expect(await ann.peer.list()).toMatchObject([{ trust: 'unverified', key: expect.any(String) }]);
  // The card shows the same key now, so the person can trust it.
  expect(await ann.peer.add(bob.peer.card())).toMatchObject({ trust: 'pinned', alarm: null });
});

test('[A2C-4] a card that is added while the directory answers counts against the answer', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.store.commit([{ remove: 'peer', key: bob.address }]);
  await ann.peer.add(bob.address);
  const card = bob.peer.card();
  let added: Promise<unknown> | undefined;
  ann.meddler = {
    fromRelay: (data) => {
      const next = swapKey(data);
      if (next !== data) added ??= ann.peer.add(card);
      return next;
    },
  };
  await expect(ann.send(bob, { secret: 1 })).rejects.toMatchObject({ code: 'line_stopped' });
  expect(await added).toMatchObject({ trust: 'pinned' });
  expect(await ann.peer.list()).toMatchObject([{ trust: 'pinned', alarm: 'key_changed', key: toBase64Url(publicKeyOf(bob)) }]);
});

test('[A2C-4] a card with another key than the pinned one stops the line', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const record = (await ann.store.get('peer', bob.address))!.value as object;
  await ann.store.commit([{ put: 'peer', key: bob.address, value: { ...record, key: toBase64Url(eveKey.public), trust: 'unverified' } }]);
  await expect(ann.peer.add(bob.peer.card())).rejects.toMatchObject({ code: 'line_stopped' });
  await ann.peer.verify(bob.address, { accepts: (await ann.peer.verify(bob.address)).safetyNumber });
  await ann.send(bob, { now: 'it is bob' });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ now: 'it is bob' }]);
});

test('[A2C-8] an older directory entry, or one that its owner has not signed, is refused', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const entries: string[] = [];
  const isEntry = (data: string | Uint8Array): data is string => typeof data === 'string' && data.includes('"type":"entry"');
  const forget = async (): Promise<void> => {
    for (const { key } of await ann.store.list('session')) await ann.store.commit([{ remove: 'session', key }]);
  };
  ann.meddler = { fromRelay: (data) => (isEntry(data) && entries.push(data), data) };
  await ann.send(bob, { n: 1 });
  await forget();
  // As after three weeks, when every package is renewed.
  bob.peer.self = { ...bob.peer.self, directory: { ...bob.peer.self.directory!, publishedAt: 0 } };
  await bob.exchange();
  await ann.send(bob, { n: 2 });
  await forget();
  const withRef = (text: string, data: string): string =>
    JSON.stringify({ ...(JSON.parse(text) as object), ref: (JSON.parse(data) as { ref: string }).ref });
  ann.meddler = { fromRelay: (data) => (isEntry(data) ? withRef(entries[0]!, data) : data) };
  await expect(ann.send(bob, { n: 3 })).rejects.toThrow('older directory entry');
  ann.meddler = { fromRelay: (data) => (isEntry(data) ? data.replace(/"signature":"../, '"signature":"AA') : data) };
  await expect(ann.exchange().then(() => ann.send(bob, { n: 4 }))).rejects.toThrow('has not signed');
});

test('[A2C-2] a frame with somebody else’s `from` opens nothing: another key stops the line, a wrong signature is dropped', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames = bob.watchFrames();
  await ann.send(bob, { real: true });
  await bob.exchange();
  const { header, body } = readFrame(frames[0]!);
  const forged = signFrame(asEve(ann), { ...header, packet_id: 'pkt_forged0001' }, body);
  expect(await bob.peer.receive(forged)).toMatchObject({ kind: 'dropped', reason: 'bad_signature' });
  expect(await bob.peer.list()).toMatchObject([{ alarm: null }]);
  const own = { ...header, packet_id: 'pkt_forged0002', from_key: toBase64Url(eveKey.public) };
  expect(await bob.peer.receive(signFrame(asEve(ann), own, body))).toMatchObject({ kind: 'stopped', alarm: 'key_changed' });
  expect(await bob.contexts()).toEqual([{ real: true }]);
});

test('[A2C-2] one flipped bit anywhere in a frame opens nothing and spoils nothing', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames: Uint8Array[] = [];
  ann.meddler = { toRelay: (data) => (typeof data === 'string' || frames.push(data), data) };
  await ann.send(bob, { real: true });
  const [frame] = frames;
  for (let at = 0; at < frame!.length; at += 37) {
    const changed = frame!.slice();
    changed[at]! ^= 1 << (at % 8);
    expect(await bob.peer.receive(changed), `byte ${at}`).toMatchObject({ kind: 'dropped' });
  }
  expect(await bob.peer.receive(frame!)).toMatchObject({ kind: 'packet' });
  expect(fromBase64Url(readFrame(frame!).header.to_key)).toHaveLength(32);
});

import { frameFrom, newIdentity, type RelayClient, type RelayIdentity, RelayNames, reportOf, statementOf } from '@parley/testkit/relay';
import { expect, test } from 'vitest';
import { federatedRelay } from './kit/federated.ts';
import { startRelay, type TestRelay } from './kit/relay.ts';

interface Scene {
  names: RelayNames;
  a: TestRelay;
  b: TestRelay;
  ann: RelayIdentity;
  bob: RelayIdentity;
}

async function scene(env: { a?: Record<string, string>; b?: Record<string, string> } = {}): Promise<Scene> {
  const names = new RelayNames();
  const a = await federatedRelay(names, 'a.example', env.a);
  const b = await federatedRelay(names, 'b.example', env.b);
  return { names, a, b, ann: await a.registered('ann'), bob: await b.registered('bob') };
}

/** The relays know each other from now on. */
async function met(client: RelayClient, address: string) {
  return client.request({ type: 'lookup', ref: `about ${address}`, address, package: false });
}

async function published(relay: TestRelay, who: RelayIdentity, packages: string[]): Promise<RelayClient> {
  const client = await relay.loggedIn(who);
  await client.request({ type: 'publish', ref: 'p', ...statementOf(who, 1), packages });
  return client;
}

const waitsAt = (relay: TestRelay): number => relay.served.relay.waitingFrames;

test('[A2C-10] a client gets the entry of somebody at another relay, and each key package once', async () => {
  const { a, b, ann, bob } = await scene();
  await published(b, bob, ['cDE']);
  const client = await a.loggedIn(ann);
  const ask = (ref: string, address = bob.address) => client.request({ type: 'lookup', ref, address, package: true });
  const { statement, signature } = statementOf(bob, 1);
  expect(await ask('1')).toEqual({ type: 'entry', ref: '1', statement, signature, package: 'cDE', last_resort: false });
  expect(await ask('2')).toMatchObject({ package: null, last_resort: true });
  expect(await ask('3', 'agent:nobody@b.example')).toMatchObject({
    type: 'refused',
    code: 'unknown_address',
    message: 'The relay b.example refused: agent:nobody@b.example is not registered here.',
  });
  expect(await ask('4', 'agent:eve@nowhere.example')).toMatchObject({ type: 'refused', code: 'relay_unreachable' });
});

test('[A2C-10] frames go both ways in order, are stored at each relay before they are answered, and wait for nobody in the end', async () => {
  const { a, b, ann, bob } = await scene();
  const [fromAnn, fromBob] = [await published(a, ann, []), await published(b, bob, [])];
  expect(await fromAnn.sendFrame(frameFrom(ann, bob, 'too early'))).toMatchObject({ code: 'relay_unreachable' });
  await met(fromAnn, bob.address);
  await met(fromBob, ann.address);
  for (let n = 0; n < 30; n += 1) expect(await fromAnn.sendFrame(frameFrom(ann, bob, `a${n}`))).toMatchObject({ type: 'stored' });
  expect(await fromBob.sendFrame(frameFrom(bob, ann, 'b0'))).toMatchObject({ type: 'stored' });
  expect(await fromBob.received(30)).toEqual(Array.from({ length: 30 }, (_, n) => `a${n}`));
  expect(await fromAnn.received(1)).toEqual(['b0']);
  fromBob.ack();
  fromAnn.ack();
  await expect.poll(() => [waitsAt(a), waitsAt(b)]).toEqual([0, 0]);
  expect(a.served.relay.counts).toMatchObject({ forwarded: 30, undelivered: 0, lies: 0 });
});

test('[A2C-10] frames wait on disk while the other relay is away, over a restart, and come once and in order', async () => {
  const { a, b, ann, bob } = await scene();
  await published(b, bob, []);
  const client = await a.loggedIn(ann);
  await met(client, bob.address);
  await b.served.close();
  for (let n = 0; n < 10; n += 1) expect(await client.sendFrame(frameFrom(ann, bob, String(n)))).toMatchObject({ type: 'stored' });
  const repeat = frameFrom(ann, bob, '10');
  expect([await client.sendFrame(repeat), await client.sendFrame(repeat)]).toMatchObject([{ type: 'stored' }, { type: 'stored' }]);
  await a.restart();
  expect(waitsAt(a)).toBe(11);
  await b.start();
  const reader = await b.loggedIn(bob);
  expect(await reader.received(11)).toEqual(Array.from({ length: 11 }, (_, n) => String(n)));
  await expect.poll(() => waitsAt(a)).toBe(0);
});

test('[A2C-10] a sender is notified of each packet that the other relay refuses, also after being away', async () => {
  const { a, b, ann, bob } = await scene({ b: { PARLEY_RELAY_QUEUE: '2' } });
  await published(b, bob, []);
  const client = await a.loggedIn(ann);
  await met(client, bob.address);
  const nobody = newIdentity('nobody', 'b.example');
  const stranger = { ...bob, key: nobody.key };
  const sent = [
    frameFrom(ann, nobody, '?'),
    frameFrom(ann, stranger, '?'),
    ...['1', '2', '3', '4'].map((text) => frameFrom(ann, bob, text)),
  ];
  for (const frame of sent) expect(await client.sendFrame(frame)).toMatchObject({ type: 'stored' });
  await client.until(() => (client.notices.length === 4 ? true : undefined));
  expect(client.notices.map(({ to, code }) => [to, code])).toEqual([
    [nobody.address, 'unknown_address'],
    [bob.address, 'key_changed'],
    [bob.address, 'queue_full'],
    [bob.address, 'queue_full'],
  ]);
  expect(client.notices[0]!.message).toBe('The relay b.example refused it: agent:nobody@b.example is not registered here.');
  await client.leave();
  const again = await a.loggedIn(ann);
  await again.until(() => (again.notices.length === 4 ? true : undefined));
  expect(again.notices).toEqual(client.notices);
  again.ack();
  await expect.poll(() => waitsAt(a)).toBe(0);
  expect(await (await b.loggedIn(bob)).received(2)).toEqual(['1', '2']);
});

test('[A2C-10] packets for a relay that stays away are given up after 48 hours, and their sender is notified', async () => {
  const { a, b, ann, bob } = await scene();
  await published(b, bob, []);
  const client = await a.loggedIn(ann);
  await met(client, bob.address);
  await b.served.close();
  await client.sendFrame(frameFrom(ann, bob, 'old'));
  a.served.relay.federation!.sweep();
  expect(waitsAt(a)).toBe(1);
  a.ahead = 48 * 3_600_000 + 1000;
  await expect
    .poll(() => (a.served.relay.federation!.sweep(), client.notices))
    .toMatchObject([{ to: bob.address, code: 'relay_unreachable' }]);
  expect(client.notices[0]!.message).toMatch(/^It waited 48 h\. The relay b\.example cannot be reached/);
  client.ack();
  await expect.poll(() => waitsAt(a)).toBe(0);
  await b.start();
});

test('[A2C-10] the limit of a line is that of a queue: so many packets of one sender wait for another relay', async () => {
  const { a, b, ann, bob } = await scene({ a: { PARLEY_RELAY_QUEUE: '3' } });
  await published(b, bob, []);
  const client = await a.loggedIn(ann);
  await met(client, bob.address);
  await b.served.close();
  const answers = [];
  for (let n = 0; n < 4; n += 1) answers.push(await client.sendFrame(frameFrom(ann, bob, String(n))));
  expect(answers.map((answer) => ('code' in answer ? answer.code : answer.type))).toEqual(['stored', 'stored', 'stored', 'queue_full']);
  await b.start();
});

test('[A2C-10] [A2C-9] blocks, reports and rates count for senders of other relays too', async () => {
  const { a, b, ann, bob } = await scene({ b: { PARLEY_RELAY_FRAMES_PER_MINUTE: '3' } });
  const reader = await published(b, bob, []);
  const client = await a.loggedIn(ann);
  await met(client, bob.address);
  await client.sendFrame(frameFrom(ann, bob, '1'));
  await reader.received(1);
  expect(await reader.request({ type: 'report', ref: 'r', ...reportOf(bob, ann) })).toMatchObject({ type: 'done' });
  expect(b.served.relay.counts.reports).toBe(1);
  await reader.request({ type: 'block', ref: 'b', address: ann.address, blocked: true });
  await client.sendFrame(frameFrom(ann, bob, '2'));
  await expect.poll(() => b.served.relay.counts.blocked).toBe(1);
  await client.sendFrame(frameFrom(ann, bob, '3'));
  await client.sendFrame(frameFrom(ann, bob, '4'));
  await client.until(() => client.notices[0]);
  expect(client.notices).toMatchObject([{ code: 'rate_limited' }]);
  expect(reader.deliveries).toHaveLength(1);
});

test('[A2C-10] an answer is no reason for a report, also between relays', async () => {
  const { a, b, ann, bob } = await scene();
  const [fromAnn, fromBob] = [await published(a, ann, []), await published(b, bob, [])];
  await met(fromAnn, bob.address);
  await met(fromBob, ann.address);
  await fromAnn.sendFrame(frameFrom(ann, bob, 'hello'));
  await fromBob.received(1);
  await fromBob.sendFrame(frameFrom(bob, ann, 'hello back'));
  await fromAnn.received(1);
  await fromAnn.request({ type: 'report', ref: 'r', ...reportOf(ann, bob) });
  await fromBob.request({ type: 'report', ref: 'r', ...reportOf(bob, ann) });
  expect([a.served.relay.counts.reports, b.served.relay.counts.reports]).toEqual([0, 1]);
});

test('[A2C-10] the operator decides with whom a relay federates: nobody, all, some, all but some', async () => {
  const { names, a, b, ann, bob } = await scene({ a: { PARLEY_RELAY_FEDERATION_DENY: 'b.example, c.example' } });
  await published(b, bob, []);
  const client = await a.loggedIn(ann);
  const refused = {
    type: 'refused',
    code: 'not_federated',
    message: 'The relay a.example does not exchange packets with b.example. Ask its operator.',
  };
  expect(await met(client, bob.address)).toMatchObject(refused);
  expect(await client.sendFrame(frameFrom(ann, bob, '?'))).toMatchObject(refused);
  const some = await federatedRelay(names, 'd.example', { PARLEY_RELAY_FEDERATION_ALLOW: 'b.example' });
  const dan = await some.registered('dan');
  expect(await met(await some.loggedIn(dan), bob.address)).toMatchObject({ type: 'entry' });
  expect(await met(await some.loggedIn(dan), ann.address)).toMatchObject({ code: 'not_federated' });
  expect(await met(await b.loggedIn(bob), ann.address), 'a.example denies b.example, whoever calls').toMatchObject({
    code: 'relay_unreachable',
    message: expect.stringContaining('not_federated'),
  });
  const none = await startRelay({ PARLEY_RELAY_NAME: 'e.example' });
  const eve = await none.registered('eve');
  const alone = {
    code: 'not_federated',
    message: 'agent:bob@b.example is at another relay, and e.example exchanges packets with none. Ask its operator.',
  };
  expect(await met(await none.loggedIn(eve), bob.address)).toMatchObject(alone);
  expect(await (await none.loggedIn(eve)).sendFrame(frameFrom(eve, bob, '?'))).toMatchObject(alone);
  const answer = await fetch(`${none.served.url.replace('ws', 'http')}/.well-known/parley-relay`);
  expect(answer.status).toBe(404);
});

test('[A2C-10] packets that wait for a relay stay when the operator denies it', async () => {
  const { a, b, ann, bob } = await scene();
  await published(b, bob, []);
  const client = await a.loggedIn(ann);
  await met(client, bob.address);
  await b.served.close();
  await client.sendFrame(frameFrom(ann, bob, '1'));
  a.env['PARLEY_RELAY_FEDERATION_DENY'] = 'b.example';
  await b.start();
  await a.restart();
  await expect.poll(() => a.log.join('')).toContain('does not exchange packets with b.example');
  expect([waitsAt(a), b.served.relay.counts.stored]).toEqual([1, 0]);
});

test('[A2C-10] [SYS-10] one user makes a relay look for as many others a minute as they have lookups', async () => {
  const { a, ann } = await scene({ a: { PARLEY_RELAY_LOOKUPS_PER_MINUTE: '5' } });
  const dialled = new Set<string>();
  const dial = (url: URL): URL => {
    dialled.add(url.host);
    throw new Error('nobody is there');
  };
  a.network = { ...a.network, dial };
  await a.restart();
  const client = await a.loggedIn(ann);
  for (let n = 0; n < 20; n += 1)
    expect(await client.sendFrame(frameFrom(ann, newIdentity('bob', `x${n}.example`), '?'))).toMatchObject({ code: 'relay_unreachable' });
  expect(dialled.size).toBe(5);
});

test('[A2C-10] a name that is no address is unreachable, and no fault of the relay', async () => {
  const { a, ann } = await scene();
  const client = await a.loggedIn(ann);
  expect(await met(client, 'agent:bob@b.example:99999')).toMatchObject({ code: 'relay_unreachable' });
});

test('[A2C-10] a relay without a domain does not federate, unless it is tried out', async () => {
  const started = startRelay({ PARLEY_RELAY_FEDERATION: 'on' });
  await expect(started).rejects.toThrow('PARLEY_RELAY_FEDERATION needs a domain by which other relays find this one, not localhost.');
});

test('[A2C-10] the document at the well-known path names the relay, its key and its address', async () => {
  const { a } = await scene();
  const answer = await fetch(`${a.served.url.replace('ws', 'http')}/.well-known/parley-relay`);
  expect(await answer.json()).toEqual({ v: 1, relay: 'a.example', key: a.served.relay.key.public, url: 'ws://a.example' });
});

test('[A2C-10] a relay that cannot store ends the line, and everything comes again, once and in order', async () => {
  const { a, b, ann, bob } = await scene();
  const reader = await published(b, bob, []);
  const client = await a.loggedIn(ann);
  await met(client, bob.address);
  const { store } = b.served.relay;
  const accept = store.accept.bind(store);
  let failures = 0;
  store.accept = (frames, ...rest) =>
    frames.length > 0 && (failures += 1) <= 3 ? Promise.reject(new Error('the disk is full')) : accept(frames, ...rest);
  for (let n = 0; n < 20; n += 1) client.socket.send(frameFrom(ann, bob, String(n)));
  expect(await reader.received(20)).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
  reader.ack();
  await expect.poll(() => [waitsAt(a), waitsAt(b)]).toEqual([0, 0]);
  expect([failures > 3, client.notices]).toEqual([true, []]);
});

// Relays that lie, delay, drop, repeat, reorder or forge, beside an honest one.

import { type RelayClient, frameFrom, newIdentity, type RelayIdentity, RelayNames, statementOf } from '@parley/testkit/relay';
import { expect, test } from 'vitest';
import { federatedRelay } from './kit/federated.ts';
import { scraping, type TestRelay } from './kit/relay.ts';
import { ScriptedRelay } from './kit/scripted-relay.ts';

interface Scene {
  names: RelayNames;
  a: TestRelay;
  /** At a.example, logged in. */
  ann: RelayIdentity;
  client: RelayClient;
  /** At x.example, which the test plays. */
  eve: RelayIdentity;
  x: ScriptedRelay;
}

async function scene(env: Record<string, string> = {}): Promise<Scene> {
  const names = new RelayNames();
  const a = await federatedRelay(names, 'a.example', env);
  const x = await ScriptedRelay.start(names, 'x.example');
  const ann = await a.registered('ann');
  const eve = newIdentity('eve', 'x.example');
  x.onLookup = ({ ref }) => ({ type: 'entry', ref: ref!, ...statementOf(eve, 1), package: null, last_resort: true });
  return { names, a, ann, client: await a.loggedIn(ann), eve, x };
}

const lookUp = (client: RelayClient, address: string, ref = address) => client.request({ type: 'lookup', ref, address, package: true });
const metricsOf = async (relay: TestRelay): Promise<string> =>
  (await fetch(`${relay.served.url.replace('ws', 'http')}/metrics`, scraping)).text();

/** The operator sees which relay it was. */
async function mustBeNamed({ a }: Scene, times = 1): Promise<void> {
  expect(a.log.join('')).toMatch(/"relay":"x\.example".*said something false/);
  expect(await metricsOf(a)).toContain(`parley_relay_lies_by_relay_total{relay="x.example"} ${times}\n`);
}

test('[A2C-10] a relay that sends for the user of another is refused and named, and its own users are not', async () => {
  const at = await scene();
  const { a, x, ann, eve, client } = at;
  const bob = await a.registered('bob');
  const call = await x.call(a);
  expect(call.last).toEqual({ type: 'ready' });
  const answers = await call.send(
    frameFrom(bob, ann, 'as a user of the receiving relay'),
    frameFrom(newIdentity('dan', 'd.example'), ann, 'as a user of a third relay'),
    frameFrom(eve, newIdentity('dan', 'd.example'), 'to a user of a third relay'),
    frameFrom(eve, ann, 'honest'),
  );
  expect(answers).toMatchObject([
    { type: 'refused', number: 1, code: 'wrong_sender', message: 'The relay x.example may not send for agent:bob@a.example.' },
    { type: 'refused', number: 2, code: 'wrong_sender', message: 'The relay x.example may not send for agent:dan@d.example.' },
    { type: 'refused', number: 3, code: 'unknown_address' },
    { type: 'taken', through: 4 },
  ]);
  expect(await client.received(1)).toEqual(['honest']);
  await mustBeNamed(at, 2);
});

test('[A2C-10] forged and changed frames are refused, whichever relay brings them', async () => {
  const at = await scene();
  const { a, x, ann, eve } = at;
  const call = await x.call(a);
  const changed = frameFrom(eve, ann, 'pay 10');
  changed[changed.length - 65]! ^= 1;
  const answers = await call.send(changed, frameFrom(eve, ann, '', { from_key: newIdentity('z').key }), new Uint8Array(200));
  expect(answers.map((answer) => 'code' in answer && answer.code)).toEqual(['bad_signature', 'bad_signature', 'bad_frame']);
  await mustBeNamed(at, 3);
});

test('[A2C-10] frames that a relay repeats or sends in another order are stored once, as they come', async () => {
  const { a, x, ann, eve, client } = await scene();
  const call = await x.call(a);
  const [one, two, three] = ['1', '2', '3'].map((text) => frameFrom(eve, ann, text)) as [Uint8Array, Uint8Array, Uint8Array];
  await call.send(two, one, two, one);
  await (await x.call(a)).send(one, three, two);
  expect(await client.received(3)).toEqual(['2', '1', '3']);
  await client.request({ type: 'block', ref: 'fence', address: eve.address, blocked: false });
  expect(client.deliveries).toHaveLength(3);
});

test('[A2C-10] a relay that invents a directory entry, or sends that of another, is refused and named', async () => {
  const at = await scene();
  const { x, eve, client, ann } = at;
  x.onLookup = ({ ref }) => ({
    type: 'entry',
    ref: ref!,
    ...statementOf(eve, 1),
    signature: statementOf(ann, 1).signature,
    package: null,
    last_resort: true,
  });
  expect(await lookUp(client, eve.address)).toMatchObject({
    type: 'refused',
    code: 'relay_lies',
    message: 'The relay x.example is not trusted: it sent a directory entry that agent:eve@x.example has not signed.',
  });
  x.onLookup = ({ ref }) => ({ type: 'entry', ref: ref!, ...statementOf(ann, 1), package: null, last_resort: true });
  expect(await lookUp(client, eve.address, '2')).toMatchObject({ code: 'relay_lies' });
  await mustBeNamed(at, 2);
});

test('[A2C-10] a relay under a wrong name or with a wrong key gets no line', async () => {
  const at = await scene();
  const { a, x, eve, client, names } = at;
  x.challenge = { relay: 'y.example' };
  expect(await lookUp(client, eve.address, '1')).toMatchObject({
    code: 'relay_lies',
    message: expect.stringContaining('it calls itself y.example'),
  });
  x.challenge = { signature: x.key.sign(new Uint8Array(1)) };
  await expect
    .poll(() => lookUp(client, eve.address, String(Math.random())))
    .toMatchObject({ message: expect.stringContaining('does not hold the key') });
  x.challenge = {};
  x.document = { key: newIdentity('z').key };
  await expect
    .poll(() => lookUp(client, eve.address, String(Math.random())))
    .toMatchObject({ message: expect.stringContaining('another key than its document') });
  x.document = { relay: 'y.example' };
  await expect
    .poll(() => lookUp(client, eve.address, String(Math.random())))
    .toMatchObject({ message: expect.stringContaining('is that of y.example') });
  expect(x.logins).toBe(0);
  // As a caller: a name that is not its own, and a signature over another challenge.
  x.document = {};
  await ScriptedRelay.start(names, 'y.example');
  expect((await x.call(a, { name: 'y.example' })).last).toMatchObject({
    type: 'refused',
    code: 'relay_lies',
    message: 'The relay y.example is not trusted: its line has another key than its document.',
  });
  expect((await x.call(a, { name: 'a.example' })).last).toMatchObject({ type: 'refused', code: 'wrong_sender' });
});

test('[A2C-10] a handshake that was overheard opens no line', async () => {
  const at = await scene();
  const { a, x, eve, client } = at;
  const overheard = await x.call(a);
  expect(overheard.last).toEqual({ type: 'ready' });
  const replay = await x.call(a, { nonce: overheard.nonce, signature: overheard.signature });
  expect(replay.last).toMatchObject({ type: 'refused', code: 'relay_lies', message: expect.stringContaining('x.example') });
  await expect.poll(() => replay.isClosed).toBe(true);
  // The same from the other side: a challenge that was overheard proves no key to a caller.
  expect(await lookUp(client, eve.address)).toMatchObject({ type: 'entry' });
  x.challenge = x.said!;
  x.hangUp();
  await expect
    .poll(() => lookUp(client, eve.address, String(Math.random())))
    .toMatchObject({ code: 'relay_lies', message: expect.stringContaining('does not hold the key') });
});

test('[A2C-10] frames before the login, or that fit no bundle, end the line and nothing is stored', async () => {
  const { a, x, ann, eve } = await scene();
  const call = await x.call(a);
  call.socket.send(Uint8Array.of(0, 0, 0, 9, 1));
  await expect.poll(() => call.isClosed).toBe(true);
  const liar = await x.call(a, { signature: x.key.sign(new Uint8Array(3)) });
  await expect(liar.send(frameFrom(eve, ann, 'early'))).rejects.toThrow('closed');
  expect(a.served.relay.counts.stored).toBe(0);
});

test('[A2C-10] another key of a known relay stops its line both ways, and is reported until the operator accepts it', async () => {
  const { a, x, eve, client, ann } = await scene();
  expect(await lookUp(client, eve.address)).toMatchObject({ type: 'entry' });
  const trusted = x.key.public;
  x.key = (await ScriptedRelay.start(new RelayNames(), 'other')).key;
  x.hangUp();
  await expect
    .poll(() => lookUp(client, eve.address, String(Math.random())))
    .toMatchObject({ type: 'refused', code: 'relay_unreachable', message: expect.stringContaining('shows another key than before') });
  expect((await x.call(a)).last).toMatchObject({ type: 'refused', code: 'key_changed' });
  expect(a.log.filter((line) => line.includes(`npx parley relay accept x.example ${x.key.public}`))).toHaveLength(1);
  const { store } = a.served.relay;
  expect(await store.knownRelays()).toMatchObject([{ name: 'x.example', key: trusted, changedKey: x.key.public }]);
  expect(await store.acceptRelayKey('x.example', newIdentity('z').key)).toBe(false);
  expect(await store.acceptRelayKey('x.example', x.key.public)).toBe(true);
  await expect.poll(() => lookUp(client, eve.address, String(Math.random()))).toMatchObject({ type: 'entry' });
  expect(await (await x.call(a)).send(frameFrom(eve, ann, 'hello'))).toEqual([{ type: 'taken', through: 1 }]);
});

test('[A2C-10] lines that are open end when their relay shows another key: somebody may hold the one before', async () => {
  const { a, x, eve, client } = await scene();
  expect(await lookUp(client, eve.address)).toMatchObject({ type: 'entry' });
  const open = await x.call(a);
  x.key = (await ScriptedRelay.start(new RelayNames(), 'other')).key;
  expect((await x.call(a)).last).toMatchObject({ type: 'refused', code: 'key_changed' });
  await expect.poll(() => open.isClosed).toBe(true);
  expect(await lookUp(client, eve.address, '2')).toMatchObject({ code: 'relay_unreachable' });
});

test('[A2C-10] somebody who only claims a name cannot stop the line of the relay that has it', async () => {
  const { a, names, x, eve, client } = await scene();
  expect(await lookUp(client, eve.address)).toMatchObject({ type: 'entry' });
  const thief = await ScriptedRelay.start(names, 'thief.example');
  expect((await thief.call(a, { name: 'x.example' })).last).toMatchObject({ code: 'relay_lies' });
  expect((await thief.call(a, { name: 'x.example', signature: x.key.sign(new Uint8Array(1)) })).last).toMatchObject({ code: 'relay_lies' });
  expect(await metricsOf(a), 'nor is that relay named for it').not.toContain('lies_by_relay');
  expect(await a.served.relay.store.knownRelay('x.example')).toMatchObject({ key: x.key.public, changedKey: null });
  expect(await lookUp(client, eve.address, '2')).toMatchObject({ type: 'entry' });
});

test('[A2C-10] [SYS-10] somebody who claims a name again and again neither keeps its relay out nor has its document read each time', async () => {
  const { a, names, x } = await scene();
  const thief = await ScriptedRelay.start(names, 'thief.example');
  for (let n = 0; n < 10; n += 1)
    expect((await thief.call(a, { name: 'x.example' })).last).toMatchObject({ type: 'refused', code: 'relay_lies' });
  expect((await x.call(a)).last).toEqual({ type: 'ready' });
  expect(x.reads).toBe(4);
});

test('[A2C-10] what a relay drops or answers late is sent again, in order, until it is taken', async () => {
  const { x, eve, ann, client } = await scene();
  await lookUp(client, eve.address);
  // The first line takes one frame of three and dies; the second says nothing and dies; the third takes all.
  let lines = 0;
  x.onFrames = (line, total) => {
    if (total < (lines === 0 ? 3 : 2)) return;
    lines += 1;
    if (lines === 1) line.send(JSON.stringify({ type: 'taken', through: 1 }), () => line.terminate());
    else if (lines === 2) line.terminate();
    else line.send(JSON.stringify({ type: 'taken', through: total }));
  };
  const frames = ['1', '2', '3'].map((text) => frameFrom(ann, eve, text));
  for (const frame of frames) expect(await client.sendFrame(frame)).toMatchObject({ type: 'stored' });
  const sent = [0, 1, 2, 1, 2, 1, 2].map((n) => Buffer.from(frames[n]!).toString('hex'));
  await expect.poll(() => x.frames.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(sent);
  expect(client.notices).toEqual([]);
});

test('[A2C-10] the words of another relay reach a person as one plain line', async () => {
  const { x, eve, ann, client } = await scene();
  await lookUp(client, eve.address);
  const message = `no\n\u001b[31mred\u202e${'x'.repeat(900)}`;
  x.onFrames = (line, total) => line.send(JSON.stringify({ type: 'refused', number: total, code: 'queue_full', message }));
  await client.sendFrame(frameFrom(ann, eve, '1'));
  const notice = await client.until(() => client.notices[0]);
  expect(notice.message).toMatch(/^The relay x\.example refused it: no \[31mred x+$/);
  expect(notice.message.length).toBeLessThan(400);
});

test('[A2C-10] a relay that sends more than its rate is read from later, and loses nothing', async () => {
  const { a, x, ann, eve, client } = await scene({ PARLEY_RELAY_FEDERATION_FRAMES_PER_MINUTE: '600' });
  const call = await x.call(a);
  const frames = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => frameFrom(eve, ann, String(from + n), { tag: newIdentity('t').epoch.device }));
  await call.send(...frames(0, 200));
  client.ack();
  await call.send(...frames(200, 150));
  expect(await client.received(350)).toHaveLength(350);
});

test('[A2C-10] a relay that sends more than a day’s packets is refused, over all its lines and users, and is no liar', async () => {
  const { a, x, ann, eve, client } = await scene({ PARLEY_RELAY_FEDERATION_FRAMES_PER_DAY: '3' });
  const mallory = newIdentity('mallory', 'x.example');
  await (await x.call(a)).send(frameFrom(eve, ann, '1'), frameFrom(mallory, ann, '2'));
  const answers = await (await x.call(a)).send(frameFrom(eve, ann, '3'), frameFrom(mallory, ann, '4'));
  const refused = { code: 'rate_limited', message: 'Too many packets of the relay x.example in a day. Try again later.' };
  expect(answers).toMatchObject([{ type: 'taken', through: 1 }, refused]);
  a.ahead = 8 * 3_600_000;
  expect(await (await x.call(a)).send(frameFrom(eve, ann, '5'), frameFrom(eve, ann, '6'))).toMatchObject([{ type: 'taken' }, refused]);
  expect(await client.received(4)).toEqual(['1', '2', '3', '5']);
  expect(a.served.relay.counts.lies).toBe(0);
});

test('[A2C-10] a relay that sends nothing but false frames is cut off in the middle of a bundle', async () => {
  const { a, x } = await scene();
  const call = await x.call(a);
  call.socket.send(new Uint8Array(512 * 1024));
  await expect.poll(() => call.isClosed).toBe(true);
  expect(a.served.relay.counts.lies).toBe(101);
  expect(a.log.filter((line) => line.includes('said something false'))).toHaveLength(101);
});

test('[A2C-10] the key before a change opens no line either, once the domain shows another', async () => {
  const { a, x } = await scene();
  expect((await x.call(a)).last).toEqual({ type: 'ready' });
  const { key: stolen } = x;
  x.key = (await ScriptedRelay.start(new RelayNames(), 'other')).key;
  expect((await x.call(a)).last).toMatchObject({ code: 'key_changed' });
  x.document = { key: x.key.public };
  x.key = stolen;
  expect((await x.call(a)).last).toMatchObject({ type: 'refused', code: 'relay_lies' });
  x.document = {};
  expect((await x.call(a)).last, 'the domain is back at the trusted key').toEqual({ type: 'ready' });
});

test('[A2C-10] packets that a relay neither takes nor refuses are given up after 48 hours, though its line stays open', async () => {
  const { a, x, eve, ann, client } = await scene();
  await lookUp(client, eve.address);
  x.onFrames = () => {};
  await client.sendFrame(frameFrom(ann, eve, '1'));
  await expect.poll(() => x.frames.length).toBe(1);
  a.ahead = 48 * 3_600_000 + 1000;
  for (let sweeps = 0; sweeps < 5; sweeps += 1) a.served.relay.federation!.sweep();
  const notice = await client.until(() => client.notices[0]);
  expect(notice).toMatchObject({ to: eve.address, code: 'relay_unreachable', message: expect.stringContaining('it does not answer') });
});

test('[A2C-10] eight lines of one relay are open at most', async () => {
  const { a, x } = await scene();
  for (let n = 0; n < 8; n += 1) expect((await x.call(a)).last).toEqual({ type: 'ready' });
  const ninth = await x.call(a);
  expect(ninth.last).toMatchObject({ type: 'refused', code: 'rate_limited' });
});

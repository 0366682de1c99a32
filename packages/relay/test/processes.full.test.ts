import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relayCloses } from '@parley/protocol/relay';
import { frameFrom, newIdentity, type RelayIdentity } from '@parley/testkit/relay';
import { expect, onTestFinished, test, vi } from 'vitest';
import { needNats, newPrefix } from './kit/nats.ts';
import { startRelay, TestRelay } from './kit/relay.ts';

type Skip = Parameters<typeof needNats>[0];

/** Two processes of one relay: they share the servers and the key, and nothing else. */
async function twoProcesses(skip: Skip, settings: Record<string, string> = {}): Promise<[TestRelay, TestRelay]> {
  const env = { PARLEY_RELAY_NATS: needNats(skip), PARLEY_RELAY_NATS_PREFIX: newPrefix(), ...settings };
  const first = await startRelay(env);
  const second = new TestRelay(first.folder, env);
  await second.start();
  onTestFinished(() => second.close());
  return [first, second];
}

async function people<T extends string>(relay: TestRelay, ...names: T[]): Promise<Record<T, RelayIdentity>> {
  const all: [string, RelayIdentity][] = [];
  for (const name of names) all.push([name, await relay.registered(name)]);
  return Object.fromEntries(all) as Record<T, RelayIdentity>;
}

test('[A2C-6] packets reach a recipient at another process in order, and an acknowledged one comes to no process again', async ({
  skip,
}) => {
  const [first, second] = await twoProcesses(skip);
  const { ann, bob, eve } = await people(first, 'ann', 'bob', 'eve');
  const reader = await second.loggedIn(bob);
  const [writer, other] = [await first.loggedIn(ann), await second.loggedIn(eve)];
  for (let n = 0; n < 20; n += 1) {
    writer.socket.send(frameFrom(ann, bob, `ann ${n}`));
    other.socket.send(frameFrom(eve, bob, `eve ${n}`));
  }
  const texts = await reader.received(40);
  for (const name of ['ann', 'eve']) {
    const theirs = texts.filter((text) => text.startsWith(name));
    expect(theirs).toEqual(Array.from({ length: 20 }, (_, n) => `${name} ${n}`));
  }
  reader.ack();
  await expect.poll(() => first.served.relay.waitingFrames + second.served.relay.waitingFrames).toBe(0);
  expect(await writer.sendFrame(frameFrom(ann, bob, 'last'))).toMatchObject({ type: 'stored' });
  expect(await (await first.loggedIn(bob)).received(1)).toEqual(['last']);
});

test('[A2C-8] the latest connection wins, whichever process it comes to, and the other process notifies the displaced one', async ({
  skip,
}) => {
  const [first, second] = await twoProcesses(skip);
  const { ann, bob } = await people(first, 'ann', 'bob');
  const earlier = await first.loggedIn(bob);
  const next = { ...bob, epoch: { counter: 2, device: newIdentity('x').epoch.device } };
  const later = await second.loggedIn(next);
  expect(await earlier.untilClosed()).toMatchObject({ code: relayCloses.displaced });
  expect(earlier.messages.at(-1)).toEqual({ type: 'displaced', epoch: next.epoch });
  expect(await (await first.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'to the latest'))).toMatchObject({ type: 'stored' });
  expect(await later.received(1)).toEqual(['to the latest']);
  expect(await (await first.connect()).login(bob)).toMatchObject({ code: 'old_epoch', epoch: next.epoch });
});

test('[A2C-8] of connections to two processes at once, one stays', async ({ skip }) => {
  const [first, second] = await twoProcesses(skip);
  const { bob } = await people(first, 'bob');
  const both = await Promise.all([first.loggedIn(bob), second.loggedIn(bob)]);
  await expect.poll(() => both.filter(({ closed }) => closed).length).toBe(1);
  const last = await second.loggedIn(bob);
  await expect.poll(() => both.filter(({ closed }) => closed).length).toBe(2);
  expect(last.closed).toBeUndefined();
});

test('[A2C-6] a queue has one limit over all processes', async ({ skip }) => {
  const [first, second] = await twoProcesses(skip, { PARLEY_RELAY_QUEUE: '6' });
  const { ann, bob, eve } = await people(first, 'ann', 'bob', 'eve');
  const [writer, other] = [await first.loggedIn(ann), await second.loggedIn(eve)];
  for (let n = 0; n < 4; n += 1) expect(await writer.sendFrame(frameFrom(ann, bob, 'a'))).toMatchObject({ type: 'stored' });
  await vi.waitUntil(() => second.served.relay.waitingFrames === 4);
  for (let n = 0; n < 2; n += 1) expect(await other.sendFrame(frameFrom(eve, bob, 'e'))).toMatchObject({ type: 'stored' });
  expect(await other.sendFrame(frameFrom(eve, bob, 'no room'))).toMatchObject({ code: 'queue_full' });
  const reader = await first.loggedIn(bob);
  await reader.received(6);
  reader.ack();
  await vi.waitUntil(() => second.served.relay.waitingFrames === 0);
  expect(await other.sendFrame(frameFrom(eve, bob, 'room'))).toMatchObject({ type: 'stored' });
});

test('[A2C-9] a block and a removal hold at every process', async ({ skip }) => {
  const [first, second] = await twoProcesses(skip);
  const { ann, bob } = await people(first, 'ann', 'bob');
  const [reader, writer] = [await first.loggedIn(bob), await second.loggedIn(ann)];
  await reader.request({ type: 'block', ref: 'b', address: ann.address, blocked: true });
  await vi.waitUntil(() => second.served.relay.isBlocked(bob.address, ann.address));
  expect(await writer.sendFrame(frameFrom(ann, bob, 'blocked'))).toMatchObject({ type: 'stored' });
  await reader.request({ type: 'block', ref: 'u', address: ann.address, blocked: false });
  expect(await writer.sendFrame(frameFrom(ann, bob, 'heard'))).toMatchObject({ type: 'stored' });
  expect(await reader.received(1)).toEqual(['heard']);
  expect(await second.served.relay.isOnline(bob.address)).toBe(true);
  await second.served.relay.remove(bob.address);
  expect(await reader.untilClosed()).toMatchObject({ code: relayCloses.unauthenticated, reason: 'The account was removed' });
  expect(await second.served.relay.isOnline(bob.address)).toBe(false);
  expect(await writer.sendFrame(frameFrom(ann, bob, 'gone'))).toMatchObject({ code: 'unknown_address' });
});

test('[SYS-7] a process with another key or name does not start, and says what to do', async ({ skip }) => {
  const [first] = await twoProcesses(skip);
  const stranger = new TestRelay(await mkdtemp(join(tmpdir(), 'parley-relay-')), first.env);
  await expect(stranger.start()).rejects.toThrow('Copy relay.key from one of them into PARLEY_RELAY_DATA.');
  const renamed = new TestRelay(first.folder, { ...first.env, PARLEY_RELAY_NAME: 'other.example' });
  await expect(renamed.start()).rejects.toThrow('PARLEY_RELAY_NAME is other.example, but the relay');
  const nowhere = new TestRelay(first.folder, { ...first.env, PARLEY_RELAY_NATS: 'nats://ann:secret@127.0.0.1:1' });
  await expect(nowhere.start()).rejects.toThrow('No NATS server answers at nats://127.0.0.1:1');
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCard } from '@parley/a2acp';
import { lockPeerFolder } from '@parley/a2acp/node';
import type { PeerCallError, PeerOwner } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHouse, stateOf } from './house-kit.ts';

const dinner = 'thr_dinner01';

test('[A2C-32] [A2C-23] the second dinner is one tap each once everything is shared', async () => {
  const house = await startHouse();
  await openDinner(house);
  for (const person of [bob, ann]) await shareAll(house, person, dinner, 'always');
  for (const person of [ann, bob]) await answerWith(house, person, dinner, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) await stateOf(house, person, dinner, 'COMPLETED');
  const second = 'thr_dinner02';
  await openDinner(house, second);
  for (const person of [bob, ann]) {
    const { prompts } = await stateOf(house, person, second, 'PROPOSED');
    expect(prompts.map(({ kind }) => kind)).toEqual(['proposal']);
    await answerWith(house, person, second, 'proposal', { kind: 'confirm' });
  }
  for (const person of [ann, bob]) await stateOf(house, person, second, 'COMPLETED');
  const whole = await house.host.call(bob, 'negotiation', { threadId: second });
  expect(whole).toMatchObject({ prompts: 0, state: 'COMPLETED', role: 'responder' });
});

test('[A2C-22] a negotiation that ends withdraws what it asked, on both sides', async () => {
  const house = await startHouse();
  await openDinner(house);
  const { id } = await promptOf(house, bob, dinner, 'consent');
  await house.host.call(ann, 'steer', { threadId: dinner, act: 'decline' });
  expect(await stateOf(house, bob, dinner, 'DECLINED')).toMatchObject({ isEnded: true, prompts: [] });
  expect(await house.host.call(bob, 'prompts', { ids: [id] })).toEqual([]);
  const late = { promptId: id, answer: { kind: 'consent' as const, fields: [] } };
  await expect(house.host.call(bob, 'answer', late)).rejects.toMatchObject({ code: 'answered' });
});

test('[A2C-34] opening is safe to repeat, and a restart of the service loses no prompt and no report', async () => {
  const house = await startHouse();
  house.hub.failures = 3;
  await Promise.all([openDinner(house), openDinner(house), openDinner(house)]);
  const { id } = await promptOf(house, bob, dinner, 'consent');
  await house.host.stop();
  house.hub.statuses.clear();
  house.host = await house.again();
  const again = await promptOf(house, bob, dinner, 'consent');
  expect(again.id).toBe(id);
  expect(await house.host.call(ann, 'negotiations', null)).toHaveLength(1);
  expect((await house.host.call(bob, 'negotiation', { threadId: dinner })).packets).toBe(1);
});

test('[A2C-34] a thread that dies is started again: calls in flight are refused, prompts and negotiations are there', async () => {
  const house = await startHouse();
  await openDinner(house);
  await promptOf(house, bob, dinner, 'consent');
  const inFlight = house.host.call(bob, 'export', null).catch((error: PeerCallError) => error.code);
  await house.worker.terminate();
  expect(await inFlight).toBe('unavailable');
  await waitFor(() => house.host.call(bob, 'me', null));
  await shareAll(house, bob, dinner);
  await shareAll(house, ann, dinner);
  for (const person of [ann, bob]) await answerWith(house, person, dinner, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) await stateOf(house, person, dinner, 'COMPLETED');
});

test('[A2C-3] a name that is taken gets a number; the card names the relay as people outside reach it', async () => {
  const { host } = await startHouse();
  const [first, second] = [await host.call(bob, 'make', null), await host.call({ ...ann, handle: 'Bob' }, 'make', null)];
  expect([first.address, second.address]).toEqual(['agent:bob@localhost', 'agent:bob-2@localhost']);
  expect(readCard(first.card!)).toMatchObject({ address: 'agent:bob@localhost', relay: 'wss://parley.example/relay' });
  expect(await host.call(bob, 'make', null)).toMatchObject({ address: first.address, fingerprint: first.fingerprint });
});

test('[A2C-8] backup, erasure and restore of a peer in the house', async () => {
  const house = await startHouse();
  await openDinner(house);
  await promptOf(house, bob, dinner, 'consent');
  const text = (await house.host.backup(bob.memberId))!;
  expect(text).not.toMatch(/Friday|mem_ann/);
  await house.host.erase(bob.memberId);
  await house.host.erase(bob.memberId);
  expect([await house.host.knows(bob.memberId), existsSync(join(house.folder, bob.memberId))]).toEqual([false, false]);
  expect((await house.relay.served.relay.store.accounts()).map(({ address }) => address)).toEqual(['agent:ann@localhost']);
  expect(await house.host.backup('mem_nobody')).toBeUndefined();
  await house.host.restore(bob.memberId, text);
  await house.host.call(bob, 'me', null);
  await waitFor(() => expect(house.relay.served.relay.isOnline('agent:bob@localhost')).toBe(true));
  await shareAll(house, bob, dinner);
  await promptOf(house, ann, dinner, 'consent');
  const everything = JSON.stringify(await house.host.call(bob, 'export', null));
  expect(everything).toContain('Dinner on Friday');
  expect(everything).not.toContain('"seed"');
});

test('[A2C-28] nobody opens a negotiation under the ID of one with somebody else', async () => {
  const house = await startHouse();
  const { host } = house;
  await openDinner(house);
  const { id } = await promptOf(house, bob, dinner, 'consent');
  const eve: PeerOwner = { memberId: 'mem_eve', handle: 'eve', displayName: 'Eve' };
  await host.call(eve, 'open', { threadId: dinner, with: bob, intent: 'Dinner on Friday', needs: [], audience: null });
  await waitFor(async () => expect(JSON.stringify((await host.call(bob, 'export', null))['packet'])).toContain('agent:eve@localhost'));
  expect(await host.call(bob, 'negotiations', null)).toMatchObject([{ peer: 'agent:ann@localhost' }]);
  await shareAll(house, bob, dinner);
  expect(await host.call(bob, 'prompts', { ids: [id] })).toEqual([]);
  await shareAll(house, ann, dinner);
  await stateOf(house, bob, dinner, 'PROPOSED');
});

test('[SYS-14] [A2C-34] a backup keeps the peer of somebody who left off the line', async () => {
  const house = await startHouse();
  await openDinner(house);
  const isOnline = () => house.relay.served.relay.isOnline('agent:bob@localhost');
  await waitFor(() => expect(isOnline()).toBe(true));
  house.hub.inactive.add(bob.memberId);
  await house.host.close(bob.memberId);
  await waitFor(() => expect(isOnline()).toBe(false));
  expect(await house.host.backup(bob.memberId)).toContain('parley-house-peer/1');
  const release = lockPeerFolder(join(house.folder, bob.memberId));
  expect(release).toBeDefined();
  release!();
  expect(isOnline()).toBe(false);
});

test('[SYS-14] [SYS-15] without a relay a peer can still be backed up, exported and erased', async () => {
  const house = await startHouse();
  await openDinner(house);
  await house.host.stop();
  const host = await house.again({ hasRelay: false });
  expect(await host.backup(ann.memberId)).toContain('parley-house-peer/1');
  expect(await host.call(ann, 'export', null)).toMatchObject({ address: 'agent:ann@localhost' });
  await expect(host.call(ann, 'negotiations', null)).rejects.toMatchObject({ code: 'unavailable' });
  await host.erase(ann.memberId);
  expect(existsSync(join(house.folder, ann.memberId))).toBe(false);
});

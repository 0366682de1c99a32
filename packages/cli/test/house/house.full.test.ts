import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCard } from '@parley/a2acp';
import { lockPeerFolder } from '@parley/a2acp/node';
import { houseLimits } from '@parley/core';
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
  await waitFor(() => expect(house.hub.restarts).toBe(1));
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
  await waitFor(async () => expect(await house.relay.served.relay.isOnline('agent:bob@localhost')).toBe(true));
  await shareAll(house, bob, dinner);
  await promptOf(house, ann, dinner, 'consent');
  const everything = JSON.stringify(await house.host.call(bob, 'export', null));
  expect(everything).toContain('Dinner on Friday');
  expect(everything).not.toContain('"seed"');
});

test('[SYS-7] [A2C-31] somebody new under an erased person’s address meets neither their tiers nor their memory', async () => {
  const house = await startHouse();
  const { host, hub } = house;
  await openDinner(house);
  for (const person of [bob, ann]) await shareAll(house, person, dinner, 'always');
  await stateOf(house, ann, dinner, 'PROPOSED');
  await waitFor(() => expect(hub.sharing.get('mem_ann')?.overrides).toHaveProperty('mem_bob'));
  expect(await host.call(ann, 'memory', null)).toHaveLength(1);
  // Peers of people who left count as well.
  const cleo: PeerOwner = { memberId: 'mem_cleo', handle: 'cleo', displayName: 'Cleo' };
  await host.call(cleo, 'open', { threadId: 'thr_cleo01', with: bob, intent: 'Lunch on Monday', needs: [], audience: null });
  await host.call(cleo, 'setTier', { field: 'budget_range', tier: 'always_share', address: 'agent:bob@localhost' });
  hub.inactive.add('mem_cleo');
  await host.close('mem_cleo');

  hub.made.delete('mem_bob');
  await host.erase('mem_bob');
  const other: PeerOwner = { memberId: 'mem_other', handle: 'bob', displayName: 'Another Bob' };
  expect(await host.call(other, 'make', null)).toMatchObject({ address: 'agent:bob@localhost' });
  await waitFor(() => expect(hub.sharing.get('mem_ann')?.overrides).toEqual({}));
  expect([(await host.call(ann, 'profile', null)).overrides, await host.call(ann, 'memory', null)]).toEqual([{}, []]);
  hub.inactive.delete('mem_cleo');
  expect((await host.call(cleo, 'profile', null)).overrides).toEqual({});
});

test('[A2C-34] a peer has a limit for negotiations that are open at once, and opening one again is none more', async () => {
  const house = await startHouse();
  for (let n = 1; n <= houseLimits.openOfPeer; n += 1) await openDinner(house, `thr_dinner${String(n).padStart(2, '0')}`);
  await expect(openDinner(house, 'thr_onemore')).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('50 open') as string,
  });
  await openDinner(house, 'thr_dinner01');
  await house.host.call(ann, 'steer', { threadId: 'thr_dinner01', act: 'decline' });
  await openDinner(house, 'thr_onemore');
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
  await waitFor(async () => expect(await isOnline()).toBe(true));
  house.hub.inactive.add(bob.memberId);
  await house.host.close(bob.memberId);
  await waitFor(async () => expect(await isOnline()).toBe(false));
  expect(await house.host.backup(bob.memberId)).toContain('parley-house-peer/1');
  const release = lockPeerFolder(join(house.folder, bob.memberId));
  expect(release).toBeDefined();
  release!();
  expect(await isOnline()).toBe(false);
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

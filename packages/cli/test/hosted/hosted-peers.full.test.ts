import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCard } from '@parley/peer';
import { lockPeerFolder } from '@parley/peer/node';
import { hostedLimits } from '@parley/core';
import type { PeerCallError, PeerOwner } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHosting, stateOf } from './hosting-kit.ts';

const dinner = 'thr_dinner01';

test('[A2C-32] [A2C-23] the second dinner is one tap each once everything is shared', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner, 'always');
  for (const person of [ann, bob]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) await stateOf(hosting, person, dinner, 'COMPLETED');
  const second = 'thr_dinner02';
  await openDinner(hosting, second);
  for (const person of [bob, ann]) {
    const { prompts } = await stateOf(hosting, person, second, 'PROPOSED');
    expect(prompts.map(({ kind }) => kind)).toEqual(['proposal']);
    await answerWith(hosting, person, second, 'proposal', { kind: 'confirm' });
  }
  for (const person of [ann, bob]) await stateOf(hosting, person, second, 'COMPLETED');
  const whole = await hosting.host.call(bob, 'negotiation', { threadId: second });
  expect(whole).toMatchObject({ prompts: 0, state: 'COMPLETED', role: 'responder' });
});

test('[A2C-22] a negotiation that ends withdraws what it asked, on both sides', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  const { id } = await promptOf(hosting, bob, dinner, 'consent');
  await hosting.host.call(ann, 'steer', { threadId: dinner, act: 'decline' });
  expect(await stateOf(hosting, bob, dinner, 'DECLINED')).toMatchObject({ isEnded: true, prompts: [] });
  expect(await hosting.host.call(bob, 'prompts', { ids: [id] })).toEqual([]);
  const late = { promptId: id, answer: { kind: 'consent' as const, fields: [] } };
  await expect(hosting.host.call(bob, 'answer', late)).rejects.toMatchObject({ code: 'answered' });
});

test('[A2C-34] opening is safe to repeat, and a restart of the service loses no prompt and no report', async () => {
  const hosting = await startHosting();
  hosting.hub.failures = 3;
  await Promise.all([openDinner(hosting), openDinner(hosting), openDinner(hosting)]);
  const { id } = await promptOf(hosting, bob, dinner, 'consent');
  await hosting.host.stop();
  hosting.hub.statuses.clear();
  hosting.host = await hosting.again();
  const again = await promptOf(hosting, bob, dinner, 'consent');
  expect(again.id).toBe(id);
  expect(await hosting.host.call(ann, 'negotiations', null)).toHaveLength(1);
  expect((await hosting.host.call(bob, 'negotiation', { threadId: dinner })).packets).toBe(1);
});

test('[A2C-34] a thread that dies is started again: calls in flight are refused, prompts and negotiations are there', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  await promptOf(hosting, bob, dinner, 'consent');
  const inFlight = hosting.host.call(bob, 'export', null).catch((error: PeerCallError) => error.code);
  await hosting.worker.terminate();
  expect(await inFlight).toBe('unavailable');
  await waitFor(() => hosting.host.call(bob, 'me', null));
  await waitFor(() => expect(hosting.hub.restarts).toBe(1));
  await shareAll(hosting, bob, dinner);
  await shareAll(hosting, ann, dinner);
  for (const person of [ann, bob]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) await stateOf(hosting, person, dinner, 'COMPLETED');
});

test('[A2C-3] a name that is taken gets a number; the card names the relay as people outside reach it', async () => {
  const { host } = await startHosting();
  const [first, second] = [await host.call(bob, 'make', null), await host.call({ ...ann, handle: 'Bob' }, 'make', null)];
  expect([first.address, second.address]).toEqual(['agent:bob@localhost', 'agent:bob-2@localhost']);
  expect(readCard(first.card!)).toMatchObject({ address: 'agent:bob@localhost', relay: 'wss://parley.example/relay' });
  expect(await host.call(bob, 'make', null)).toMatchObject({ address: first.address, fingerprint: first.fingerprint });
});

test('[A2C-8] backup, erasure and restore of a peer in the hosting', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  await promptOf(hosting, bob, dinner, 'consent');
  const text = (await hosting.host.backup(bob.memberId))!;
  expect(text).not.toMatch(/Friday|mem_ann/);
  await hosting.host.erase(bob.memberId);
  await hosting.host.erase(bob.memberId);
  expect([await hosting.host.knows(bob.memberId), existsSync(join(hosting.folder, bob.memberId))]).toEqual([false, false]);
  expect((await hosting.relay.served.relay.store.accounts()).map(({ address }) => address)).toEqual(['agent:ann@localhost']);
  expect(await hosting.host.backup('mem_nobody')).toBeUndefined();
  await hosting.host.restore(bob.memberId, text);
  await hosting.host.call(bob, 'me', null);
  await waitFor(async () => expect(await hosting.relay.served.relay.isOnline('agent:bob@localhost')).toBe(true));
  await shareAll(hosting, bob, dinner);
  await promptOf(hosting, ann, dinner, 'consent');
  const everything = JSON.stringify(await hosting.host.call(bob, 'export', null));
  expect(everything).toContain('Dinner on Friday');
  expect(everything).not.toContain('"seed"');
});

test('[SYS-7] [A2C-31] somebody new under an erased person’s address meets neither their tiers nor their memory', async () => {
  const hosting = await startHosting();
  const { host, hub } = hosting;
  await openDinner(hosting);
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner, 'always');
  await stateOf(hosting, ann, dinner, 'PROPOSED');
  await waitFor(() => expect(hub.sharing.get('mem_ann')?.overrides).toHaveProperty('mem_bob'));
  expect(await host.call(ann, 'memory', {})).toHaveLength(1);
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
  expect([(await host.call(ann, 'profile', null)).overrides, await host.call(ann, 'memory', {})]).toEqual([{}, []]);
  hub.inactive.delete('mem_cleo');
  expect((await host.call(cleo, 'profile', null)).overrides).toEqual({});
});

test('[A2C-34] a peer has a limit for negotiations that are open at once, and opening one again is none more', async () => {
  const hosting = await startHosting();
  for (let n = 1; n <= hostedLimits.openOfPeer; n += 1) await openDinner(hosting, `thr_dinner${String(n).padStart(2, '0')}`);
  await expect(openDinner(hosting, 'thr_onemore')).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('50 open') as string,
  });
  await openDinner(hosting, 'thr_dinner01');
  await hosting.host.call(ann, 'steer', { threadId: 'thr_dinner01', act: 'decline' });
  await openDinner(hosting, 'thr_onemore');
});

test('[A2C-28] nobody opens a negotiation under the ID of one with somebody else', async () => {
  const hosting = await startHosting();
  const { host } = hosting;
  await openDinner(hosting);
  const { id } = await promptOf(hosting, bob, dinner, 'consent');
  const eve: PeerOwner = { memberId: 'mem_eve', handle: 'eve', displayName: 'Eve' };
  await host.call(eve, 'open', { threadId: dinner, with: bob, intent: 'Dinner on Friday', needs: [], audience: null });
  await waitFor(async () => expect(JSON.stringify((await host.call(bob, 'export', null))['packet'])).toContain('agent:eve@localhost'));
  expect(await host.call(bob, 'negotiations', null)).toMatchObject([{ peer: 'agent:ann@localhost' }]);
  await shareAll(hosting, bob, dinner);
  expect(await host.call(bob, 'prompts', { ids: [id] })).toEqual([]);
  await shareAll(hosting, ann, dinner);
  await stateOf(hosting, bob, dinner, 'PROPOSED');
});

test('[SYS-14] [A2C-34] a backup keeps the peer of somebody who left off the line', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  const isOnline = () => hosting.relay.served.relay.isOnline('agent:bob@localhost');
  await waitFor(async () => expect(await isOnline()).toBe(true));
  hosting.hub.inactive.add(bob.memberId);
  await hosting.host.close(bob.memberId);
  await waitFor(async () => expect(await isOnline()).toBe(false));
  expect(await hosting.host.backup(bob.memberId)).toContain('parley-house-peer/1');
  const release = lockPeerFolder(join(hosting.folder, bob.memberId));
  expect(release).toBeDefined();
  release!();
  expect(await isOnline()).toBe(false);
});

test('[SYS-14] [SYS-15] without a relay a peer can still be backed up, exported and erased', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  await hosting.host.stop();
  const host = await hosting.again({ hasRelay: false });
  expect(await host.backup(ann.memberId)).toContain('parley-house-peer/1');
  expect(await host.call(ann, 'export', null)).toMatchObject({ address: 'agent:ann@localhost' });
  await expect(host.call(ann, 'negotiations', null)).rejects.toMatchObject({ code: 'unavailable' });
  await host.erase(ann.memberId);
  expect(existsSync(join(hosting.folder, ann.memberId))).toBe(false);
});

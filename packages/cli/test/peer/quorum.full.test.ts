import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSigningKey, signBytes } from '@parley/peer';
import { confirmationToSign, fromBase64Url, toBase64Url } from '@parley/protocol/relay';
import { commands, eventsOf, exchangeAll, forge, opened } from './negotiation-kit.ts';
import { acquaint, confirm, newGroup, untilGroupProposal } from './group-kit.ts';
import type { Person } from './people-kit.ts';

type Shown = Awaited<ReturnType<ReturnType<typeof commands>['show']>>;
const statusIn = ({ group }: Shown, person: Person) => group!.members.find(({ address }) => address === person.address)!.status;
const titlesOf = async ({ folder }: Person): Promise<string[]> => {
  const text = await readFile(join(folder, 'calendar.ics'), 'utf8').catch(() => '');
  return [...text.matchAll(/^SUMMARY:(.*?)\r?$/gm)].map(([, title]) => title!);
};

test('[A2C-27] [A2C-30] a quorum agrees: one outcome everywhere, and events only for those who confirmed', async () => {
  const people = await newGroup('ann', 'bob', 'cem', 'dan');
  const [ann, bob, cem, dan] = people as [Person, Person, Person, Person];
  await commands(bob).setField({ field: 'health_info', value: 'canary of Bob' });
  const id = await untilGroupProposal(people, { quorum: 3 });
  expect(people.map(({ failures }) => failures)).toEqual([[], [], [], []]);
  const shown = await Promise.all(people.map((person) => commands(person).show(id)));
  expect(shown.map(({ state }) => state)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED', 'PROPOSED']);
  expect(new Set(shown.map(({ proposal }) => proposal!.hash)).size).toBe(1);
  expect(shown[1]!.group!.members.map(({ address }) => address).toSorted()).toEqual(people.map(({ address }) => address));
  expect(shown[0]!.proposal!.alternatives.length).toBeGreaterThan(0);
  // What a member gave reaches nobody but the coordinator.
  const windows = shown[0]!.group!.members.find(({ address }) => address === bob.address)!.received!['time_windows'] as string[];
  expect(windows.length).toBeGreaterThan(5);
  expect(JSON.stringify(await opened(cem))).not.toContain(windows[3]);

  await confirm(cem, id);
  await confirm(ann, id);
  await commands(dan).confirm({ id, answer: { kind: 'decline' } });
  await exchangeAll(...people);
  expect((await commands(ann).show(id)).state).toBe('PROPOSED');
  expect(await Promise.all(people.map(eventsOf))).toEqual([0, 0, 0, 0]);
  await confirm(bob, id);
  await exchangeAll(...people);
  const ended = await Promise.all(people.map((person) => commands(person).show(id)));
  expect(ended.map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'DECLINED']);
  expect(statusIn(ended[3]!, dan)).toBe('declined');
  expect(new Set(ended.map(({ proposal }) => proposal!.hash)).size).toBe(1);
  expect(await Promise.all(people.map(eventsOf))).toEqual([1, 1, 1, 0]);
  expect(await commands(ann).negotiations()).toHaveLength(1);
});

test('[A2C-27] [A2C-30] [SYS-6] a member who ends it while they are asked what to share is out: no card, nothing shared, not counted', async () => {
  const people = await newGroup('ann', 'bob', 'cem', 'dan');
  const [ann, bob, cem, dan] = people as [Person, Person, Person, Person];
  await acquaint(bob, cem, dan);
  await commands(cem).setTier({ field: 'time_windows', tier: 'ask_first' });
  const id = await untilGroupProposal(people, { quorum: 2 });
  const asked = await commands(cem).show(id);
  const [prompt] = asked.openPrompts;
  expect([asked.state, prompt!.kind, statusIn(asked, cem)]).toEqual(['INITIATED', 'consent', 'waiting']);
  await commands(cem).steer({ threadId: id, act: 'decline' });
  const isOut = async (): Promise<void> => {
    const shown = await commands(cem).show(id);
    expect([shown.state, shown.openPrompts, statusIn(shown, cem)]).toEqual(['DECLINED', [], 'declined']);
  };
  await isOut();
  const late = commands(cem).consent({ id: prompt!.id, answers: [{ field: 'time_windows', answer: 'share' }] });
  await expect(late).rejects.toThrow('came too late: you declined');
  await exchangeAll(...people);
  await isOut();
  expect(statusIn(await commands(ann).show(id), cem)).toBe('declined');
  await confirm(ann, id);
  await confirm(bob, id);
  await exchangeAll(...people);
  await isOut();
  // Dan was still asked: the others were enough.
  const missed = await commands(dan).show(id);
  expect([missed.state, missed.openPrompts, statusIn(missed, dan)]).toEqual(['COMPLETED', [], 'missed']);
  await expect(confirm(dan, id)).rejects.toThrow('enough people confirmed before you answered, and the meeting takes place without you');
  expect(people.map(({ failures }) => failures)).toEqual([[], [], [], []]);
  expect((await commands(ann).show(id)).group!.members.find(({ address }) => address === cem.address)!.received).toEqual({});
  expect(await Promise.all(people.map(titlesOf))).toEqual([['Games with Bob'], ['Games with Ann'], [], []]);
});

test('[A2C-27] [A2C-30] a member’s outcome that comes before the coordinator’s first packet keeps nobody out of the group', async () => {
  const people = await newGroup('ann', 'bob', 'cem');
  const [ann, bob, cem] = people as [Person, Person, Person];
  await acquaint(bob, cem);
  const confirmations = [ann, bob].map(({ address: agent }) => ({ agent, packet_id: null, signature: 'A'.repeat(86) }));
  const outcome = { status: 'confirmed', proposal_hash: 'A'.repeat(43), confirmations };
  await forge(bob, cem, undefined, { type: 'resolution_outcome', ...outcome });
  const { threadId } = (await commands(cem).inbox()).packets[0]!;
  const intent = { category: 'scheduling', summary: 'Dinner on Friday', urgency: 'low' };
  await forge(ann, cem, undefined, { thread_id: threadId, intent });
  expect(await commands(cem).negotiations()).toMatchObject([{ threadId, peer: ann.address, intent: intent.summary }]);
  // What this side knows the words of stays with who said them.
  await forge(bob, cem, threadId, { intent: { ...intent, summary: 'Dinner on Sunday' } });
  expect(await commands(cem).negotiations()).toMatchObject([{ threadId, peer: ann.address, intent: intent.summary }]);
});

test('[A2C-27] a coordinator that lies gets one outcome: the member to whom it gives another one is warned, and nothing of it runs', async () => {
  const people = await newGroup('ann', 'bob', 'cem', 'dan');
  const [ann, bob, cem, dan] = people as [Person, Person, Person, Person];
  await acquaint(bob, cem, dan);
  const id = await untilGroupProposal(people, { quorum: 2 });
  const first = (await commands(cem).show(id)).proposal?.hash;
  const { proposal, ...terms } = (await opened(cem)).findLast(({ type }) => type === 'resolution')! as Record<string, unknown>;
  const { packet_id: _id, timestamp: _at, packet_number: _number, ...others } = terms;
  const changed = { ...(proposal as object), summary: 'Something else' };
  await forge(ann, cem, id, { ...others, proposal: changed, proposal_number: 2, after: first });
  const second = (await commands(cem).show(id)).proposal!.hash;
  expect(second).not.toBe(first);
  await confirm(bob, id);
  await confirm(ann, id);
  await exchangeAll(ann, bob, cem, dan);
  expect((await commands(bob).show(id)).state).toBe('COMPLETED');

  await confirm(cem, id);
  const sign = ({ peer, address: agent }: Person) => {
    const bytes = confirmationToSign({ thread_id: id, proposal_hash: second, agent });
    return { agent, packet_id: null, signature: toBase64Url(signBytes(newSigningKey(fromBase64Url(peer.self.seed)).secret, bytes)) };
  };
  await forge(ann, cem, id, {
    type: 'resolution_outcome',
    status: 'confirmed',
    proposal_hash: second,
    confirmations: [sign(ann), sign(cem)],
  });
  await exchangeAll(bob, cem, dan);
  const shown = await commands(cem).show(id);
  expect([shown.state, await eventsOf(cem)]).toEqual(['PROPOSED', 0]);
  expect(shown.notes).toContainEqual(expect.objectContaining({ notice: 'second_outcome', details: { by: bob.address, hash: first } }));
});

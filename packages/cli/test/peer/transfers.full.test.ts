// The coordinator's role moves between real peers, at a real relay, through the commands of the terminal.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callsOf } from '@parley/peer';
import { expect, test } from 'vitest';
import { confirm, newGroup } from './group-kit.ts';
import { killedAfter, killedUntilQuiet } from './killed-peers.ts';
import { commands, eventsOf, exchangeAll } from './negotiation-kit.ts';
import { exchangeCards, type Person } from './people-kit.ts';

const show = (person: Person, id: string) => commands(person).show(id);
const coordinatorsOf = (people: Person[], id: string): Promise<string[]> =>
  Promise.all(people.map(async (person) => (await show(person, id)).group!.coordinator));

/** Ann has opened a group. `acquainted`: the others know each other too. */
async function openedGroup({ acquainted = true, quorum = 2 } = {}) {
  const people = await newGroup('ann', 'bob', 'cem');
  const [ann, bob, cem] = people as [Person, Person, Person];
  if (acquainted) await exchangeCards(bob, cem);
  const addresses = [bob, cem].map(({ address }) => address);
  const { id } = await commands(ann).negotiateGroup({ addresses, intent: 'Game night on Friday', quorum });
  // Cem is away, so that nothing is proposed yet.
  await exchangeAll(ann, bob);
  return { people, ann, bob, cem, id };
}

test('[A2C-30] a member’s peer takes over by itself, collects again, and everybody has one outcome', async () => {
  const { people, ann, bob, cem, id } = await openedGroup();
  await commands(ann).transfer({ threadId: id, to: bob.address, reason: 'Bob knows everybody' });
  await exchangeAll(ann, bob);
  expect(await coordinatorsOf([ann, bob], id)).toEqual([bob.address, bob.address]);
  // Cem hears of Ann's group and of Bob's in any order.
  await exchangeAll(...people);
  expect(await coordinatorsOf(people, id)).toEqual([bob.address, bob.address, bob.address]);
  expect(people.map(({ failures }) => failures)).toEqual([[], [], []]);
  const shown = await Promise.all(people.map((person) => show(person, id)));
  expect(shown.map(({ state }) => state)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED']);
  expect(shown[1]!.group).toMatchObject({ quorum: 2 });
  expect(shown[0]!.notes.map(({ notice }) => notice)).toContain('coordinator_changed');
  for (const person of [bob, ann]) await confirm(person, id);
  await commands(cem).confirm({ id, answer: { kind: 'decline' } });
  await exchangeAll(...people);
  const ended = await Promise.all(people.map((person) => show(person, id)));
  expect(ended.map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', 'DECLINED']);
  expect(new Set(ended.map(({ proposal }) => proposal!.hash)).size).toBe(1);
  expect(await Promise.all(people.map(eventsOf))).toEqual([1, 1, 0]);
  for (const person of people) expect(await commands(person).negotiations()).toHaveLength(1);
});

test('[A2C-30] a peer without a line to somebody declines, and the group goes on as before', async () => {
  const { people, ann, bob, cem, id } = await openedGroup({ acquainted: false });
  await commands(ann).transfer({ threadId: id, to: bob.address });
  await exchangeAll(ann, bob);
  const { notes, group } = await show(ann, id);
  expect(group!.coordinator).toBe(ann.address);
  expect(notes.at(-1)).toMatchObject({ notice: 'transfer_declined', details: { by: bob.address, reason: `No line with ${cem.address}` } });
  await exchangeAll(...people);
  expect((await show(ann, id)).state).toBe('PROPOSED');
  for (const [to, words] of [
    [bob.address, 'only before something is proposed'],
    [ann.address, 'You have the role already'],
    ['agent:eve@relay.example', 'take no part'],
  ] as const)
    await expect(commands(ann).transfer({ threadId: id, to })).rejects.toThrow(words);
  await expect(commands(bob).transfer({ threadId: id, to: cem.address })).rejects.toThrow('no group that you coordinate');
  expect(await coordinatorsOf(people, id)).toEqual([ann.address, ann.address, ann.address]);
});

test('[A2C-30] a day that nobody can read stops neither the transfer nor the new coordinator’s line', async () => {
  const { ann, bob, id } = await openedGroup();
  // As from a peer of other software.
  const record = await bob.negotiations.find(id);
  const value = { ...record, intent: { ...record.intent!, summary: 'Game night on Firday' } };
  await bob.store.commit([{ put: 'machine', key: `${ann.address}/${id}`, value }]);
  await commands(ann).transfer({ threadId: id, to: bob.address });
  await exchangeAll(ann, bob);
  expect(await coordinatorsOf([ann, bob], id)).toEqual([bob.address, bob.address]);
});

/** As it is on disk: a look over the relay would do the work of the processes that are killed. */
const stored = ({ link, negotiations }: Person, id: string) => callsOf(link, (act) => act(), negotiations).negotiation({ threadId: id });

test('[A2C-30] [A2C-34] kill -9 of every peer after every step of a transfer: one coordinator, one outcome', async () => {
  const { people, ann, bob, cem, id } = await openedGroup({ quorum: 3 });
  const marksOf = ({ folder }: Person): string => join(folder, 'marks');
  for (const person of people) await writeFile(marksOf(person), '');
  const isDone = async (): Promise<boolean> =>
    (await Promise.all(people.map((person) => stored(person, id)))).every(({ state }) => state === 'COMPLETED');
  for (let rounds = 0; rounds < 12 && !(rounds > 0 && (await isDone())); rounds += 1)
    for (const person of people) {
      await killedUntilQuiet(person, marksOf(person), person === ann ? { threadId: id, to: bob.address } : undefined);
      const roles = await Promise.all(
        people.map(async ({ store }) => (await store.list('machine')).some(({ value }) => 'group' in (value as object))),
      );
      expect(roles.filter(Boolean).length).toBeLessThan(2);
    }
  const ended = await Promise.all(people.map((person) => stored(person, id)));
  expect(ended.map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  expect(new Set(ended.map(({ proposal }) => proposal!.hash)).size).toBe(1);
  expect(ended.map(({ group }) => group!.coordinator)).toEqual([bob.address, bob.address, bob.address]);
  expect(await Promise.all(people.map(eventsOf))).toEqual([1, 1, 1]);
  // Packets that come together are one commit, so the number of kills varies; each of these steps has one.
  const [hers, his, theirs] = await Promise.all(people.map((person) => killedAfter(marksOf(person))));
  const role = 'coordinator_transfer';
  for (const step of [`waiting ${role} offered to`, `sent ${role} offered to`, `received ${role} accepted from`, `sent ${role} granted to`])
    expect(hers).toContain(`${step} ${bob.address}`);
  for (const step of [`received ${role} offered from`, `sent ${role} accepted to`, `received ${role} granted from`])
    expect(his).toContain(`${step} ${ann.address}`);
  const asMember = [
    'received context from',
    'waiting context_response to',
    'received resolution from',
    'waiting resolution_response confirmed to',
  ];
  for (const steps of [hers, theirs]) for (const step of asMember) expect(steps).toContain(`${step} ${bob.address}`);
  for (const { address } of [ann, cem])
    for (const step of [
      'waiting context to',
      'waiting resolution to',
      'received resolution_response confirmed from',
      'waiting resolution_outcome confirmed to',
    ])
      expect(his).toContain(`${step} ${address}`);
});

import { expect, test } from 'vitest';
import { commands, eventsOf, exchangeAll, opened } from './negotiation-kit.ts';
import { confirm, newGroup, untilGroupProposal } from './group-kit.ts';
import type { Person } from './people-kit.ts';

test('[A2C-27] [A2C-30] a quorum agrees: one outcome everywhere, and events only for those who confirmed', async () => {
  const people = await newGroup('ann', 'bob', 'cem', 'dan');
  const [ann, bob, cem, dan] = people as [Person, Person, Person, Person];
  await commands(bob).setField({ field: 'health_info', value: 'canary of Bob' });
  const id = await untilGroupProposal(people, { quorum: 3 });
  expect(people.map(({ failures }) => failures)).toEqual([[], [], [], []]);
  const shown = await Promise.all(people.map((person) => commands(person).show(id)));
  expect(shown.map(({ state }) => state)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED', 'PROPOSED']);
  expect(new Set(shown.map(({ proposal_hash: hash }) => hash)).size).toBe(1);
  expect(shown[1]!.group!.members.map(({ agent }) => agent)).toEqual(people.map(({ address }) => address));
  expect(shown[0]!.proposal!.alternatives.length).toBeGreaterThan(0);
  // What a member gave reaches nobody but the coordinator.
  const windows = shown[0]!.group!.members.find(({ agent }) => agent === bob.address)!.received['time_windows'] as string[];
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
  expect(ended.map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
  expect(new Set(ended.map(({ proposal_hash: hash }) => hash)).size).toBe(1);
  expect(await Promise.all(people.map(eventsOf))).toEqual([1, 1, 1, 0]);
  expect(await commands(ann).negotiations()).toHaveLength(1);
});

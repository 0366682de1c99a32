import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killedAfter, killedUntilQuiet } from './killed-peers.ts';
import { commands, eventsOf, exchangeAll, forge, opened } from './negotiation-kit.ts';
import { acquaint, confirm, newGroup, newGroupAt, untilGroupProposal } from './group-kit.ts';
import type { Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const hour = 3_600_000;
const statesOf = (people: Person[], id: string): Promise<string[]> =>
  Promise.all(people.map(async (person) => (await commands(person).show(id)).state));

/** Links a calendar that is full for months. */
async function neverFree(person: Person, summary: string): Promise<void> {
  const stamp = (time: number): string => new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//EN',
    'BEGIN:VEVENT',
    'UID:always',
    `DTSTART:${stamp(Date.now() - 24 * hour)}`,
    `DTEND:${stamp(Date.now() + 90 * 24 * hour)}`,
    `SUMMARY:${summary}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ];
  const path = join(person.folder, 'full.ics');
  await writeFile(path, lines.join('\r\n'));
  await commands(person).linkCalendar({ path: path });
}

test('[A2C-30] the one member whose flexibility matters is asked, with one tap, and nobody else', async () => {
  const people = await newGroup('ann', 'bob', 'cem');
  const [ann, bob, cem] = people as [Person, Person, Person];
  await neverFree(cem, 'A secret of Cem');
  const id = await untilGroupProposal(people);
  const asked = await commands(cem).show(id);
  expect(asked.openPrompts).toMatchObject([{ kind: 'consent', fields: [{ field: 'extra_windows', choices: [expect.any(String)] }] }]);
  expect((await commands(bob).show(id)).openPrompts).toEqual([]);
  const [choice] = asked.openPrompts[0]!.fields[0]!.choices as [string];
  await commands(cem).consent({ id, answers: [{ field: 'extra_windows', answer: 'share', value: choice }] });
  await exchangeAll(...people);
  expect(people.map(({ failures }) => failures)).toEqual([[], [], []]);
  expect(await statesOf(people, id)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED']);
  expect(Date.parse((await commands(ann).show(id)).proposal!.details['start'] as string)).toBe(Date.parse(choice.split('/')[0]!));
  expect(JSON.stringify([await opened(ann), await opened(bob)])).not.toContain('secret');
});

test('[A2C-30] [A2C-22] the coordinator’s person picks a time over a full calendar: it is proposed, and nobody is called free', async () => {
  const people = await newGroup('ann', 'bob', 'cem');
  const [ann, bob] = people as [Person, Person, Person];
  await neverFree(ann, 'A secret of Ann');
  const id = await untilGroupProposal(people);
  const { state, notes } = await commands(ann).show(id);
  expect([state, notes.at(-1)!.notice]).toEqual(['NEGOTIATING', 'escalated']);
  const [{ option }] = notes.at(-1)!.details['alternatives'] as [{ option: string }];
  await commands(ann).steer({ threadId: id, act: 'continue', words: option });
  await exchangeAll(...people);
  expect(await statesOf(people, id)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED']);
  const { proposal } = await commands(bob).show(id);
  expect(proposal!.summary).toBe(option);
  expect(proposal!.reasoning).toContain('Ann chose this time');
  expect(JSON.stringify(await opened(bob))).not.toMatch(/are free|secret/);
});

test('[A2C-30] [SYS-6] a value that the coordinator’s person gave to one member is in no proposal for all', async () => {
  const people = await newGroup('ann', 'bob', 'cem');
  const [ann, bob, cem] = people as [Person, Person, Person];
  const addresses = [bob, cem].map(({ address }) => address);
  const { id } = await commands(ann).negotiateGroup({ addresses, intent: 'Game night on Friday' });
  // Both asked for a place, and each got an answer of their own.
  for (const [{ address }, place] of [
    [bob, 'the clinic'],
    [cem, 'the park'],
  ] as const) {
    const key = `${address}/${id}`;
    const record = (await ann.store.get('machine', key))!.value as object;
    const answered = { decisions: { location_preference: 'share' as const }, given: { location_preference: place } };
    await ann.store.commit([{ put: 'machine', key, value: { ...record, ...answered } }]);
  }
  await exchangeAll(...people);
  expect(await statesOf(people, id)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED']);
  expect(JSON.stringify(await opened(cem))).not.toContain('clinic');
  expect(JSON.stringify(await opened(bob))).not.toContain('park');
});

test('[A2C-30] [A2C-26] what a member gives, declines and says goes to the coordinator alone', async () => {
  const people = await newGroup('ann', 'bob', 'cem');
  const [ann, bob, cem] = people as [Person, Person, Person];
  await neverFree(cem, 'canary event');
  await commands(cem).setField({ field: 'dietary', value: 'canary diet' });
  await commands(cem).setTier({ field: 'dietary', tier: 'always_share' });
  await commands(cem).setTier({ field: 'transport_mode', tier: 'never_share' });
  const id = await untilGroupProposal(people);
  const needs = ['dietary', 'transport_mode', 'budget_range'].map((field) => ({ field, reason: 'To plan', priority: 'required' }));
  await forge(ann, cem, id, { type: 'context_request', needs });
  for (let rounds = 0; rounds < 3; rounds += 1) {
    const open = (await commands(cem).show(id)).openPrompts.flatMap(({ fields }) => fields ?? []);
    const answers = open.map(({ field, choices }) =>
      field === 'extra_windows'
        ? ({ field, answer: 'share', value: choices[0] as string } as const)
        : ({ field, answer: 'decline' } as const),
    );
    if (answers.length > 0) await commands(cem).consent({ id, answers });
    // A refusal by a tier waits, so that its speed does not tell.
    for (const person of people) person.ahead += hour / 6;
    await exchangeAll(...people);
  }
  expect(await statesOf(people, id)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED']);
  await commands(cem).confirm({ id, answer: { kind: 'different', text: 'Next week, because of the canary' } });
  await exchangeAll(...people);
  expect(JSON.stringify(await opened(ann))).toContain('canary');
  const seen = JSON.stringify([await opened(bob), await commands(bob).show(id)]);
  expect(seen).not.toMatch(/canary|diet|transport_mode|budget_range|extra_windows/);
  // All that differs between what the two members read is their own line.
  expect((await commands(bob).show(id)).group!.members.map(({ status, received }) => [status === null, received])).toContainEqual([
    true,
    {},
  ]);
});

test('[A2C-27] a member who never answers holds up no quorum, and finds the outcome later', async () => {
  const people = await newGroup('ann', 'bob', 'cem', 'dan');
  const [ann, bob, cem, dan] = people as [Person, Person, Person, Person];
  const addresses = [bob, cem, dan].map(({ address }) => address);
  const { id } = await commands(ann).negotiateGroup({ addresses, intent: 'Game night on Friday', quorum: 3, patienceMs: hour });
  await exchangeAll(ann, bob, cem);
  expect((await commands(ann).show(id)).state).toBe('NEGOTIATING');
  for (const person of people) person.ahead += hour;
  await exchangeAll(ann, bob, cem);
  expect((await commands(ann).show(id)).state).toBe('PROPOSED');
  for (const person of [ann, bob, cem]) await confirm(person, id);
  await exchangeAll(ann, bob, cem);
  expect(await statesOf([ann, bob, cem], id)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  await exchangeAll(...people);
  expect(await statesOf(people, id)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
  const hashes = await Promise.all(people.map(async (person) => (await commands(person).show(id)).proposal?.hash));
  expect(new Set(hashes).size).toBe(1);
  expect(await eventsOf(dan)).toBe(0);
});

test('[A2C-30] nobody is removed from a group that runs, and an ended one stays whole', async () => {
  const people = await newGroup('ann', 'bob', 'cem');
  const [ann, bob, cem] = people as [Person, Person, Person];
  const id = await untilGroupProposal(people);
  for (const { address } of [bob, cem]) await expect(commands(ann).remove({ address: address })).rejects.toThrow(`You coordinate ${id}`);
  for (const person of people) await confirm(person, id);
  await exchangeAll(...people);
  await commands(ann).remove({ address: bob.address });
  expect((await commands(ann).show(id)).group!.members).toHaveLength(3);
  await forge(cem, ann, id, { type: 'context', context: { late: 'words' } });
  expect([await statesOf(people, id), ann.failures, ann.events.filter((event) => 'problem' in event)]).toEqual([
    ['COMPLETED', 'COMPLETED', 'COMPLETED'],
    [],
    [],
  ]);
});

test('[A2C-27] in order, and expired for everybody when the time is over', async () => {
  const relay = await startRelay();
  const people = await newGroupAt(relay, 'ann', 'bob', 'cem');
  const [ann, bob, cem] = people as [Person, Person, Person];
  const id = await untilGroupProposal(people, { order: [cem.address, bob.address] });
  expect(await statesOf(people, id)).toEqual(['PROPOSED', 'NEGOTIATING', 'NEGOTIATING']);
  await confirm(ann, id);
  await exchangeAll(...people);
  expect(await statesOf(people, id)).toEqual(['PROPOSED', 'NEGOTIATING', 'PROPOSED']);
  for (const clock of [relay, ...people]) clock.ahead += 25 * hour;
  await exchangeAll(...people);
  expect(await statesOf(people, id)).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED']);
  const prompts = (await commands(bob).show(id)).openPrompts;
  expect(prompts).toEqual([]);
  expect(await Promise.all(people.map(eventsOf))).toEqual([0, 0, 0]);
});

test('[A2C-28] [A2C-34] kill -9 of the coordinator after every step, one declining and one silent: one outcome, no action before it', async () => {
  const people = await newGroup('ann', 'bob', 'cem', 'dan');
  const [ann, bob, cem, dan] = people as [Person, Person, Person, Person];
  await acquaint(bob, cem, dan);
  const marks = join(ann.folder, 'marks');
  await writeFile(marks, '');
  const addresses = [bob, cem, dan].map(({ address }) => address);
  const { id } = await commands(ann).negotiateGroup({ addresses, intent: 'Game night on Friday', quorum: 2, patienceMs: 0 });
  for (let rounds = 0; rounds < 12; rounds += 1) {
    await killedUntilQuiet(ann, marks);
    await exchangeAll(bob, cem);
    const shown = await commands(cem).show(id);
    if (shown.openPrompts.some(({ kind }) => kind === 'proposal')) await commands(cem).confirm({ id, answer: { kind: 'decline' } });
    const his = await commands(bob).show(id);
    if (his.openPrompts.some(({ kind }) => kind === 'proposal')) await confirm(bob, id);
    const state = (
      (await ann.store.list('machine')).find(({ value }) => 'group' in (value as object))!.value as { group: { state: string } }
    ).group.state;
    if (state === 'COMPLETED' && his.state === 'COMPLETED') break;
  }
  await exchangeAll(...people);
  expect(await statesOf(people, id)).toEqual(['COMPLETED', 'COMPLETED', 'DECLINED', 'COMPLETED']);
  const hashes = await Promise.all(people.map(async (person) => (await commands(person).show(id)).proposal?.hash));
  expect(new Set(hashes).size).toBe(1);
  expect(await Promise.all(people.map(eventsOf))).toEqual([1, 1, 0, 0]);
  // Packets that come together are one commit, so the number of kills varies; each of these steps has one.
  const steps = await killedAfter(marks);
  for (const { address } of [bob, cem, dan])
    for (const step of ['resolution', 'resolution_outcome confirmed', 'execution_report done'])
      expect(steps).toContain(`waiting ${step} to ${address}`);
  for (const step of ['context_response', 'resolution_response confirmed', 'execution_report done'])
    expect(steps).toContain(`received ${step} from ${bob.address}`);
  expect(steps).toContain(`received resolution_response declined from ${cem.address}`);
});

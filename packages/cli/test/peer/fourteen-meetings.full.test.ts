import { expect, test } from 'vitest';
import { commands, dinnerPair, eventsOf, exchangeAll, latest, opened } from './negotiation-kit.ts';
import type { Person } from './people-kit.ts';
import type { TestRelay } from './relay-kit.ts';

const week = 7 * 86_400_000;

/** Packets and prompts of both people, up to the proposal. */
type Meeting = readonly [packets: number, prompts: number];

/** The person shares what is asked, and accepts the offer to always share it. */
async function decide(person: Person, id: string): Promise<void> {
  const { openPrompts: open } = await latest(person);
  const fields = open.find(({ kind }) => kind === 'consent')?.fields ?? [];
  const answers = fields.map(({ field, offersAlways: offers }) => ({ field, answer: offers ? 'always' : 'share' }) as const);
  if (answers.length > 0) await commands(person).consent({ id, answers });
}

/** One a week. `afterEach` is what a mutant does to the memory. */
async function meet(
  [ann, bob, relay]: [Person, Person, TestRelay],
  count: number,
  afterEach = async (): Promise<void> => {},
): Promise<Meeting[]> {
  const meetings: Meeting[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { id } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
    await decide(ann, id);
    await exchangeAll(ann, bob);
    await decide(ann, id);
    await exchangeAll(ann, bob);
    const [hers, his] = [await latest(ann), await latest(bob)];
    expect([hers.state, his.state, hers.id]).toEqual(['PROPOSED', 'PROPOSED', id]);
    expect(hers.packets).toBe(his.packets);
    meetings.push([hers.packets, hers.prompts + his.prompts]);
    for (const person of [bob, ann]) await commands(person).confirm({ id, answer: { kind: 'confirm' } });
    await exchangeAll(ann, bob);
    expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['COMPLETED', 'COMPLETED']);
    for (const clock of [ann, bob, relay]) clock.ahead += week;
    await afterEach();
  }
  return meetings;
}

const words = (meetings: readonly Meeting[]): string =>
  meetings.map(([packets, prompts], index) => `meeting ${index + 1}: packets ${packets}, prompts ${prompts}`).join('\n');

test('[A2C-32] [A2C-23] fourteen meetings: 4 packets and 1 prompt, twice 2 and 1, then 2 and 0', async () => {
  const pair = await dinnerPair();
  const [ann, bob] = pair;
  const meetings = await meet(pair, 14);
  console.log(words(meetings));
  expect(meetings).toEqual([[4, 1], [2, 1], [2, 1], ...Array.from({ length: 11 }, () => [2, 0])]);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([14, 14]);
  expect((await commands(ann).memory({}))[0]).toMatchObject({ interactions: 14, intents: ['dinner'] });
  // A value of 91 days is verified again, within the same two packets.
  const asked = (await opened(bob)).filter(({ needs }) => needs?.some(({ field }) => field === 'dietary'));
  expect(asked).toHaveLength(2);
});

test('[A2C-32] without the memory the second meeting costs as much as the first', async () => {
  const pair = await dinnerPair();
  const forget = async (): Promise<void> => {
    for (const { store } of pair.slice(0, 2) as Person[])
      for (const { key } of await store.list('memory')) await store.commit([{ remove: 'memory', key }]);
  };
  expect(await meet(pair, 4, forget)).toEqual([
    [4, 1],
    [4, 1],
    [4, 1],
    [2, 0],
  ]);
});

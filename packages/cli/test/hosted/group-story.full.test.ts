// Four people of one hub arrange a game night: one request in a channel, cards for everybody, a quorum, and one outcome.

import type { GroupProgress, NegotiationSummary, ProposalCard } from '@parley/protocol';
import { type Person, waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { answer, cardOf, confirmBoth, inboxOf, shareAlways, startStory } from './story-kit.ts';

async function startGroup() {
  const story = await startStory();
  const [cleo, dan] = [await story.kit.person('cleo'), await story.kit.person('dan')];
  return { ...story, cleo, dan, people: [story.ann, story.bob, cleo, dan] };
}

const latest = async (person: Person): Promise<NegotiationSummary & { group: GroupProgress }> => {
  const [found] = (await person.call('listNegotiations', {})).negotiations;
  return found as NegotiationSummary & { group: GroupProgress };
};
const inState = (person: Person, state: string) =>
  waitFor(async () => {
    const found = await latest(person);
    if (found?.state !== state) throw new Error(`${person.handle}: ${found?.state}`);
    return found;
  });
const statuses = ({ group }: { group: GroupProgress }): Record<string, string | null> =>
  Object.fromEntries(group.members.map(({ name, status }) => [name.toLowerCase(), status]));

/** Everybody shares what their peer is asked for, on each of their lines, until all have the proposal. */
async function untilProposal(people: readonly Person[]): Promise<void> {
  await waitFor(async () => {
    for (const person of people) {
      const open = (await inboxOf(person)).find(({ card }) => card?.kind === 'consent');
      if (open) await shareAlways(person);
    }
    const cards = await Promise.all(people.map(inboxOf));
    const without = cards.findIndex((open) => !open.some(({ card }) => card?.kind === 'proposal'));
    if (without >= 0) throw new Error(`${people[without]!.handle} has no proposal.`);
  });
}

test('[A2C-30] [A2C-27] [A2C-34] a game night for four with a quorum of three: one row, cards for all, one outcome in the channel', async () => {
  const story = await startGroup();
  const { ann, bob, cleo, dan, people, general } = story;
  await ann.post(general, '^ORAC arrange game night with @bob, @cleo and @dan on Friday, at least 3');
  await untilProposal(people);
  expect((await story.bodies()).join('\n')).toContain('3 of 4 confirmations are enough');
  expect((await ann.call('listNegotiations', {})).negotiations).toHaveLength(1);
  const mine = await latest(ann);
  expect(mine).toMatchObject({ state: 'PROPOSED', peerName: 'bob, cleo and dan', waitsForMe: true });
  expect(mine.group).toMatchObject({ coordinates: true, quorum: 3, confirmed: 0 });
  expect(statuses(mine)).toEqual({ ann: 'asked', bob: 'asked', cleo: 'asked', dan: 'asked' });
  // A member reads who takes part, and nothing of what the others answered.
  const theirs = await latest(cleo);
  expect(theirs.group).toMatchObject({ coordinates: false, coordinatorName: 'ann', quorum: 3, confirmed: null });
  expect(statuses(theirs)).toEqual({ ann: null, bob: null, cleo: 'asked', dan: null });
  const card = (await cardOf(bob, 'proposal')) as ProposalCard;
  expect(card).toMatchObject({ peerName: 'ann, cleo and dan', group: { quorum: 3 } });
  expect(card.actions.map(({ text }) => text)).toEqual([
    'Add “Games” to your calendar, with the names of those who confirm',
    expect.stringContaining(`Post “${card.summary}” in #general`),
  ]);

  await confirmBoth(ann, cleo);
  await answer(dan, 'proposal', { kind: 'decline' });
  await waitFor(async () =>
    expect(statuses(await latest(ann))).toEqual({ ann: 'confirmed', bob: 'asked', cleo: 'confirmed', dan: 'declined' }),
  );
  expect((await latest(ann)).group.confirmed).toBe(2);
  expect((await story.bodies()).filter((body) => body.includes(card.summary))).toEqual([]);
  for (const person of people) expect(await story.calendar(person)).not.toContain('BEGIN:VEVENT');
  await confirmBoth(bob);

  expect(await story.ended()).toMatchObject([{ state: 'completed' }]);
  for (const person of [ann, bob, cleo]) await inState(person, 'COMPLETED');
  expect(statuses(await inState(dan, 'DECLINED'))).toMatchObject({ dan: 'declined' });
  expect((await story.bodies()).filter((body) => body.includes(card.summary))).toHaveLength(1);
  const events = await Promise.all(people.map(async (person) => ((await story.calendar(person)).match(/BEGIN:VEVENT/g) ?? []).length));
  expect(events).toEqual([1, 1, 1, 0]);
  const { threadId } = mine;
  const whole = await Promise.all(people.map((person) => person.call('getNegotiation', { params: { threadId } })));
  expect(new Set(whole.map(({ proposal }) => proposal!.hash)).size).toBe(1);
  const texts = whole[0]!.steps.map(({ text }) => text);
  expect(texts.filter((text) => text.startsWith('Your peer proposed'))).toHaveLength(1);
  expect(texts).toEqual(
    expect.arrayContaining(['Cleo confirmed the proposal', 'The peer of Bob shared', 'Enough people confirmed the proposal']),
  );
  for (const person of people) expect(await inboxOf(person)).toEqual([]);
});

test('[A2C-30] the coordinator’s person hands over through HTTP: the member’s peer takes over, and all have one outcome', async () => {
  const story = await startGroup();
  const { ann, bob, cleo } = story;
  const three = [ann, bob, cleo];
  const { threadId } = await ann.call('openNegotiation', {
    body: { with: ['bob', 'cleo'], intent: 'Game night on Friday', needs: [], quorum: 2 },
  });
  const transfer = (person: Person, to: string) => person.ask('transferCoordination', { params: { threadId }, body: { to } });
  const addressOf = async (handle: string): Promise<string> =>
    (await latest(ann)).group.members.find(({ name }) => name === handle)!.address;
  await cardOf(bob, 'consent');
  for (const [person, to, words] of [
    [ann, 'agent:eve@localhost', 'take no part'],
    [ann, await addressOf('ann'), 'You have the role already'],
    [bob, await addressOf('cleo'), 'no group that you coordinate'],
  ] as const)
    expect(JSON.stringify(await transfer(person, to))).toContain(words);
  await ann.call('transferCoordination', { params: { threadId }, body: { to: await addressOf('bob') } });
  for (const person of three) await waitFor(async () => expect((await latest(person)).group.coordinatorName).toBe('bob'));
  expect((await latest(bob)).group).toMatchObject({ coordinates: true, quorum: 2, offeredTo: null });
  expect((await latest(ann)).group.coordinates).toBe(false);
  await untilProposal(three);
  expect(JSON.stringify(await transfer(bob, await addressOf('ann')))).toContain('only before something is proposed');
  await confirmBoth(bob, ann);
  for (const person of three) await inState(person, 'COMPLETED');
  const whole = await Promise.all(three.map((person) => person.call('getNegotiation', { params: { threadId } })));
  expect(new Set(whole.map(({ proposal }) => proposal!.hash)).size).toBe(1);
  expect(whole[0]!.steps.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Your peer offered to hand over the coordination', 'The peer of Bob accepted the coordination']),
  );
  for (const person of three) {
    expect((await person.call('listNegotiations', {})).negotiations).toHaveLength(1);
    expect(await inboxOf(person)).toEqual([]);
  }
});

test('[A2C-30] [A2C-26] bad groups are refused by the field that is wrong, and nothing is stored', async () => {
  const { ann, bob } = await startGroup();
  const open = (body: Record<string, unknown>) =>
    ann.ask('openNegotiation', { body: { intent: 'Game night on Friday', ...body } as never });
  for (const [body, field] of [
    [{ with: ['bob', 'cleo'], quorum: 9 }, 'quorum'],
    [{ with: ['bob', 'cleo'], order: ['dan'] }, 'order'],
    [{ with: ['bob', 'cleo'], needs: [{ field: 'area', reason: 'x', priority: 'helpful' }] }, 'needs'],
    [{ with: 'bob', quorum: 2 }, 'quorum'],
    [{ with: ['bob'], order: ['bob'] }, 'order'],
    [{ with: ['bob', 'bob', 'cleo'] }, 'twice'],
    [{ with: ['bob', 'ann'] }, 'you'],
    [{ with: ['bob', 'nobody'] }, 'not_found'],
    [{ with: [] }, 'with'],
  ] as const)
    expect(JSON.stringify(await open(body)), JSON.stringify(body)).toMatch(new RegExp(`error.*${field}`, 'is'));
  for (const person of [ann, bob]) expect((await person.call('listNegotiations', {})).negotiations).toEqual([]);
});

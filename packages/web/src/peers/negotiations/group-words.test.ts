import type { GroupProgress } from '@parley/protocol';
import { expect, test } from 'vitest';
import { askText, closedText, isWithoutMe, mayHandOver, memberText, offerText, quorumText, waitingText } from './group-words.ts';

const member = (status: GroupProgress['members'][number]['status']) => ({ address: 'agent:ben@hub', name: 'Ben', isMe: false, status });
const group = (quorum: number | null, confirmed: number | null): GroupProgress => ({
  coordinator: 'agent:ann@hub',
  coordinatorName: 'Ann',
  coordinates: true,
  quorum,
  confirmed,
  order: [],
  members: [member('answered'), member('waiting'), member(null), member('asked')],
  answersBy: null,
  offeredTo: null,
  binding: null,
});

test.each([
  ['NEGOTIATING', 3, null, '3 of 4 have to confirm'],
  ['NEGOTIATING', null, null, null],
  ['NEGOTIATING', 4, null, 'All 4 have to confirm'],
  ['NEGOTIATING', 3, 0, '3 of 4 have to confirm'],
  ['PROPOSED', 3, 2, '2 of 3 confirmed'],
  ['PROPOSED', 3, null, '3 of 4 have to confirm'],
  ['COMPLETED', 3, 3, '3 of 4 confirmed'],
  ['COMPLETED', 3, null, null],
])('[A2C-27] in %s, %j needed and %j confirmed: %s', (state, quorum, confirmed, text) =>
  expect(quorumText(state, group(quorum, confirmed))).toBe(text),
);

test.each([
  ['waiting', 'NEGOTIATING', 'No answer yet'],
  ['waiting', 'COMPLETED', 'Never answered'],
  ['asked', 'PROPOSED', 'Asked to confirm'],
  ['asked', 'EXPIRED', 'Did not confirm'],
  ['confirmed', 'COMPLETED', 'Confirmed'],
  ['declined', 'COMPLETED', 'Declined'],
  ['missed', 'COMPLETED', 'Enough people confirmed first'],
  [null, 'PROPOSED', 'Answers the coordinator'],
  [null, 'COMPLETED', 'Not among those who confirmed'],
] as const)('[A2C-30] a member who is %j in %s: %s', (status, state, text) => expect(memberText(member(status), state, false)).toBe(text));

test('[A2C-30] the coordinator’s person hands over before a proposal, and one offer at a time', () => {
  expect(['INITIATED', 'NEGOTIATING', 'PROPOSED', 'COMPLETED'].map((state) => mayHandOver(state, group(3, null)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(mayHandOver('NEGOTIATING', { ...group(3, null), coordinates: false })).toBe(false);
  const offered = { ...group(3, null), offeredTo: 'agent:ben@hub' };
  expect(mayHandOver('NEGOTIATING', offered)).toBe(false);
  expect(offerText(offered)).toBe(
    'You offered the coordination to Ben. Your peer coordinates until theirs answers, and proposes nothing before.',
  );
  expect(offerText(group(3, null))).toBeNull();
});

const withMe = (status: GroupProgress['members'][number]['status']): GroupProgress => ({
  ...group(2, null),
  coordinates: false,
  members: [member(null), { ...member(status), isMe: true }],
});

test('[A2C-27] a card that closes because enough confirmed says so, and the page does not count one in', () => {
  const words = 'Enough people confirmed before you answered. The meeting takes place without you';
  expect(closedText('COMPLETED', withMe('missed'))).toBe(words);
  expect(closedText('DECLINED', withMe('declined'))).toBe('You declined');
  expect(closedText('EXPIRED', withMe('asked'))).toBe('The proposal expired');
  expect(closedText('DECLINED', withMe('asked'))).toBe('The negotiation was declined');
  expect(closedText('NEGOTIATING', withMe('answered'))).toBeNull();
  const states = ['PROPOSED', 'EXECUTING', 'COMPLETED'];
  expect(states.map((state) => isWithoutMe(state, withMe('missed')))).toEqual([false, true, true]);
  expect(states.map((state) => isWithoutMe(state, withMe('confirmed')))).toEqual([false, false, false]);
  expect(isWithoutMe('COMPLETED', undefined)).toBe(false);
});

test('[A2C-27] the coordinator’s page says for whom it waits, until when, and what then', () => {
  const waiting = { ...group(3, null), answersBy: 5 };
  const whenOf = (at: number): string => `${at}:00`;
  expect(waitingText(waiting, whenOf)).toBe(
    'Waiting for Ben until 5:00. Then your peer goes on without this answer, if enough have answered.',
  );
  expect(waitingText({ ...waiting, quorum: 4 }, whenOf)).toBe(
    'Waiting for Ben until 5:00. Then your peer asks you whether to go on waiting.',
  );
  expect(waitingText({ ...waiting, answersBy: null }, whenOf)).toBeNull();
  expect(waitingText({ ...waiting, members: [member('answered')] }, whenOf)).toBeNull();
});

test('[A2C-16] the button names who will be asked, and nobody is chosen before', () => {
  expect([[], ['Ben'], ['Ben', 'Cleo', 'Dan'], ['Ben', 'Cleo', 'Dan', 'Eve']].map(askText)).toEqual([
    'Choose who to ask',
    'Ask Ben',
    'Ask Ben, Cleo and Dan',
    'Ask Ben, Cleo and 2 more',
  ]);
});

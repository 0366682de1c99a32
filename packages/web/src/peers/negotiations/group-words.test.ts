import type { GroupProgress } from '@parley/protocol';
import { expect, test } from 'vitest';
import { mayHandOver, memberText, offerText, quorumText } from './group-words.ts';

const member = (status: GroupProgress['members'][number]['status']) => ({ address: 'agent:ben@hub', name: 'Ben', isMe: false, status });
const group = (quorum: number | null, confirmed: number | null): GroupProgress => ({
  coordinator: 'agent:ann@hub',
  coordinatorName: 'Ann',
  coordinates: true,
  quorum,
  confirmed,
  order: [],
  members: [member('answered'), member('waiting'), member(null), member('asked')],
  offeredTo: null,
  binding: null,
});

test.each([
  ['NEGOTIATING', 3, null, '3 of 4 have to confirm'],
  ['NEGOTIATING', null, null, 'All 4 have to confirm'],
  ['NEGOTIATING', 3, 0, '3 of 4 have to confirm'],
  ['PROPOSED', 3, 2, '2 of 3 confirmed'],
  ['PROPOSED', 3, null, '3 of 4 have to confirm'],
  ['COMPLETED', 3, 3, '3 of 4 confirmed'],
])('[A2C-27] in %s, %j needed and %j confirmed: %s', (state, quorum, confirmed, text) =>
  expect(quorumText(state, group(quorum, confirmed))).toBe(text),
);

test.each([
  ['waiting', 'NEGOTIATING', 'No answer yet'],
  ['waiting', 'COMPLETED', 'Never answered'],
  ['asked', 'PROPOSED', 'Asked to confirm'],
  ['asked', 'EXPIRED', 'Never answered'],
  ['confirmed', 'COMPLETED', 'Confirmed'],
  [null, 'PROPOSED', 'Answers the coordinator'],
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

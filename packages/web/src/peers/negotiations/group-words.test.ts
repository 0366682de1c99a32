import type { GroupProgress } from '@parley/protocol';
import { expect, test } from 'vitest';
import { memberText, quorumText } from './group-words.ts';

const member = (status: GroupProgress['members'][number]['status']) => ({ address: 'agent:ben@hub', name: 'Ben', isMe: false, status });
const group = (quorum: number | null, confirmed: number | null): GroupProgress => ({
  coordinator: 'agent:ann@hub',
  coordinatorName: 'Ann',
  coordinates: true,
  quorum,
  confirmed,
  order: [],
  members: [member('answered'), member('waiting'), member(null), member('asked')],
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

import { expect, test } from 'vitest';
import { assignmentVerdict, type AssignmentFacts, mayAssign } from './assignment.ts';
import { attend } from './attend.ts';

const agent: AssignmentFacts['agent'] = { active: true, member: true, before: false, author: false, atIt: false };

test.each([
  ['it is there', false, {}, 'ok'],
  ['the message was deleted', true, {}, 'deleted'],
  ['the message was deleted, whatever else holds', true, { atIt: true, member: false }, 'deleted'],
  ['it is deactivated', false, { active: false }, 'not_here'],
  ['it is not in the room', false, { member: false }, 'not_here'],
  ['it may not read that far back', false, { before: true }, 'before_joining'],
  ['it said it itself', false, { author: true }, 'own_message'],
  ['it is at it already', false, { atIt: true }, 'already_assigned'],
])('[C2A-12] whether a message may be given to an agent: %s', (_, deleted, differs, expected) => {
  const answer = mayAssign({ deleted, agent: { ...agent, ...differs } });
  expect(answer.ok ? 'ok' : answer.reason).toBe(expected);
});

test.each([false, true])('[C2A-12] [C2A-9] an assignment has the verdict of the list for assigned work (urgent: %s)', (urgent) => {
  const said = {
    authorId: 'ann',
    authorKind: 'human',
    conversation: { kind: 'channel', floor: 'polite' },
    addresses: [],
    filler: false,
    urgent,
  } as const;
  expect(assignmentVerdict(urgent)).toEqual(attend(said, { id: 'orac', handle: 'ORAC', assigned: true }));
});

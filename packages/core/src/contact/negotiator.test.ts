import { expect, test } from 'vitest';
import { hostedLimits, isUrgentIntent, negotiationOuterAt, negotiatorFor, openingRefusal } from './negotiator.ts';

const asked = { ownerId: null, requesterId: 'ann', openForPerson: 0, openForTask: 0 };

test.each([
  ['a built-in agent: for the chain’s requester', asked, { ok: true, memberId: 'ann' }],
  ['an owned agent: for its owner', { ...asked, ownerId: 'ann' }, { ok: true, memberId: 'ann' }],
  ['an owned agent that another person asked', { ...asked, ownerId: 'bob' }, { ok: false, reason: 'not_owner' }],
  ['nobody asked', { ...asked, requesterId: undefined }, { ok: false, reason: 'no_person' }],
  ['nobody asked its owned agent', { ...asked, ownerId: 'ann', requesterId: undefined }, { ok: false, reason: 'no_person' }],
  ['the last that a task may have', { ...asked, openForTask: hostedLimits.openForTask - 1 }, { ok: true, memberId: 'ann' }],
  ['one more in a task', { ...asked, openForTask: hostedLimits.openForTask }, { ok: false, reason: 'too_many_for_task' }],
  ['one more for a person', { ...asked, openForPerson: hostedLimits.openForPerson }, { ok: false, reason: 'too_many_for_person' }],
] as const)('[A2C-34] who negotiates: %s', (_, given, verdict) => {
  expect(negotiatorFor(given)).toEqual(verdict);
});

test('[SYS-2] a negotiation may take 48 hours, an urgent one 2', () => {
  expect([negotiationOuterAt(0, false), negotiationOuterAt(0, true)]).toEqual([48 * 3_600_000, 2 * 3_600_000]);
  expect(['dinner', 'URGENT: dinner', 'dinner asap', 'insurgent'].map(isUrgentIntent)).toEqual([false, true, true, false]);
});

test('[A2C-34] a peer begins so many negotiations at once, and so many in an hour; the refusal says which', () => {
  const { openOfPeer, openedInHour } = hostedLimits;
  expect(openingRefusal({ unfinished: openOfPeer - 1, opened: openedInHour - 1 })).toBeUndefined();
  expect(openingRefusal({ unfinished: openOfPeer, opened: 0 })).toContain('You have 50 open negotiations, and 50 are the most.');
  expect(openingRefusal({ unfinished: 0, opened: openedInHour })).toContain('You opened 60 negotiations in the last hour');
});

import { describe, expect, test } from 'vitest';
import { outcomeOf } from './outcome.ts';
import type { TaskState } from '../task/task.ts';

const must = { policy: 'must_respond', reason: 'mention' } as const;
const any = { policy: 'must_respond', reason: 'any_agent' } as const;
const may = { policy: 'may_respond', reason: 'ambient' } as const;
const not = { policy: 'must_not_respond', reason: 'ambient' } as const;
const none = { withheld: false, task: undefined, anyone: undefined };
const task = (state: TaskState) => ({ ...none, task: { state } });

test('[C2A-32] chose silence, policy forbade and runtime failed are different outcomes', () => {
  const expired = { ...none, round: { taken: false, open: false, mine: 'expired' } } as const;
  const found = [outcomeOf(must, task('declined')), outcomeOf(may, expired), outcomeOf(not, none), outcomeOf(must, task('failed'))];
  expect(found).toEqual(['declined', 'silent', 'forbidden', 'failed']);
});

test.each<[string, ReturnType<typeof outcomeOf>, string]>([
  ['done', outcomeOf(must, task('completed')), 'answered'],
  ['at it', outcomeOf(must, task('active')), 'working'],
  ['waiting for others', outcomeOf(must, task('awaiting_delegation')), 'working'],
  ['in the queue', outcomeOf(must, task('queued')), 'waiting'],
  ['asked back', outcomeOf(must, task('waiting')), 'waiting'],
  ['no time', outcomeOf(must, task('timed_out')), 'failed'],
  ['ended by a person', outcomeOf(must, task('cancelled')), 'stopped'],
  ['filler said to it', outcomeOf({ policy: 'must_not_respond', reason: 'filler' }, { ...none, withheld: true }), 'withheld'],
  ['filler said to nobody', outcomeOf({ policy: 'must_not_respond', reason: 'filler' }, none), 'forbidden'],
  ['out of bounds', outcomeOf(must, none), 'refused'],
  ['^ANY, not taken yet', outcomeOf(any, { ...none, anyone: { taken: false, open: true } }), 'waiting'],
  ['^ANY, taken by another', outcomeOf(any, { ...none, anyone: { taken: true, open: true } }), 'not_needed'],
  ['^ANY, taken by nobody', outcomeOf(any, { ...none, anyone: { taken: false, open: false } }), 'silent'],
  [
    '^ANY, it said no and the next is asked',
    outcomeOf(any, { ...none, letGo: 'declined', anyone: { taken: false, open: true } }),
    'declined',
  ],
  ['^ANY, it let its time pass', outcomeOf(any, { ...none, letGo: 'expired', anyone: { taken: true, open: true } }), 'failed'],
  ['^ANY beside a name that was enough', outcomeOf(any, none), 'not_needed'],
  ['a role, not taken yet', outcomeOf({ ...any, reason: 'role' }, { ...none, anyone: { taken: false, open: true } }), 'waiting'],
  [
    'a role, taken by another holder',
    outcomeOf({ ...any, reason: 'role' }, { ...none, anyone: { taken: true, open: true } }),
    'not_needed',
  ],
  ['an agent’s words on an open floor, which go round to nobody', outcomeOf(may, none), 'not_asked'],
])('[C2A-32] %s', (_, found, outcome) => {
  expect(found).toBe(outcome);
});

describe('the outcome of an offer round on an open floor', () => {
  const over = { taken: false, open: false };
  test.each<[string, NonNullable<Parameters<typeof outcomeOf>[1]['round']>, string]>([
    ['it is being asked', { taken: false, open: true, mine: 'open' }, 'waiting'],
    ['its turn may come', { taken: false, open: true, mine: undefined }, 'waiting'],
    ['it said no', { ...over, mine: 'declined' }, 'declined'],
    ['it let its time pass', { ...over, mine: 'expired' }, 'silent'],
    ['it went while it was asked', { ...over, mine: 'withdrawn' }, 'failed'],
    ['the message was deleted while it was asked', { ...over, mine: 'stopped' }, 'stopped'],
    ['another took it', { taken: true, open: false, mine: undefined }, 'not_needed'],
    ['others were asked, and it was over', { ...over, mine: undefined }, 'not_asked'],
  ])('[C2A-15] [C2A-32] %s', (_, round, outcome) => {
    expect(outcomeOf(may, { ...none, round })).toBe(outcome);
  });
});

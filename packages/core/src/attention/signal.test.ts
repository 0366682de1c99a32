import { describe, expect, test } from 'vitest';
import {
  defaultGlyphs,
  discharge,
  dischargeOf,
  effectOf,
  mayReact,
  meaning,
  type Signal,
  signalOf,
  signals,
  signalWords,
} from './signal.ts';
import { taskStates } from '../task/task.ts';

describe('[C2A-21] signals and how they look', () => {
  test.each(signals.map((signal) => [signal, defaultGlyphs[signal]] as const))('%s is %s, and back', (signal, glyph) => {
    expect(signalOf(glyph)).toBe(signal);
  });
  test.each(['👍🏽', '✋🏿', '✅\uFE0F', '🙅‍♀️', '🙅🏻‍♂️'])('%s means the same in any colour', (glyph) => {
    expect(signalOf(glyph)).toBeDefined();
  });
  test.each(['🎉', '😂', '', 'agree', '👍👍'])('%s is no signal', (glyph) => {
    expect(signalOf(glyph)).toBeUndefined();
  });
  test('another platform’s glyphs', () => {
    const glyphs = { ...defaultGlyphs, seen: ':eyes:', agree: ':+1:' };
    expect([signalOf(':+1:', glyphs), signalOf('👍', glyphs), signalOf(':eyes:', glyphs)]).toEqual(['agree', undefined, 'seen']);
  });
});

test('[C2A-22] a signal ends an event, reports back, or leaves it open', () => {
  const by = (what: string): Signal[] => signals.filter((signal) => discharge[signal] === what);
  expect(by('ends')).toEqual(['agree', 'done', 'declined']);
  expect(by('report')).toEqual(['blocked', 'unclear']);
  expect(by('nothing')).toEqual(['seen', 'working', 'queued', 'claimed']);
});

describe('[C2A-23] a signal on an agent’s own message', () => {
  const person = { kind: 'human', isRequester: false } as const;
  const requester = { kind: 'agent', isRequester: true } as const;
  const other = { kind: 'agent', isRequester: false } as const;
  test.each([
    ['agree', person, 'proceed'],
    ['agree', requester, 'proceed'],
    ['agree', other, 'heard'],
    ['declined', person, 'revise'],
    ['declined', requester, 'revise'],
    ['declined', other, 'heard'],
    ['done', person, 'already_handled'],
    ['done', other, 'already_handled'],
    ['seen', person, 'heard'],
    ['blocked', requester, 'heard'],
  ] as const)('%s from %o: %s', (signal, from, expected) => {
    expect(meaning(signal, from)).toBe(expected);
  });
});

test('[C2A-22] an agent’s signal on what it was asked: what it does, under its lease', () => {
  const active = { state: 'active', lease: 2 } as const;
  const now = { lease: 2, halted: false };
  const does = (signal: Signal, task: Parameters<typeof dischargeOf>[1] = active, given = now): string => {
    const verdict = dischargeOf(signal, task, given);
    return verdict.ok ? verdict.does : verdict.reason;
  };
  // What it may answer, and need not, it puts away by having read it; without the lease that is only a mark.
  expect(does('seen', { ...active, optional: true })).toBe('complete');
  expect(does('seen', { ...active, optional: true }, { lease: 1, halted: false })).toBe('nothing');
  expect(signals.map((signal) => does(signal))).toEqual([
    'nothing',
    'complete',
    'nothing',
    'nothing',
    'nothing',
    'complete',
    'decline',
    'ask',
    'ask',
  ]);
  for (const signal of ['agree', 'done', 'declined', 'blocked', 'unclear'] as const) {
    expect(does(signal, active, { ...now, lease: 1 })).toBe('stale_lease');
    expect(does(signal, active, { ...now, halted: true })).toBe('halted');
    expect(does(signal, { state: 'queued', lease: 0 }, { lease: undefined as never, halted: false })).not.toBe('stale_lease');
  }
  for (const signal of ['seen', 'working', 'queued', 'claimed'] as const)
    for (const state of taskStates) expect(does(signal, { state, lease: 9 }, { lease: 1, halted: true })).toBe('nothing');
  for (const state of ['completed', 'cancelled', 'offered'] as const) expect(does('done', { state, lease: 2 })).toBe('task_not_active');
  expect(does('done', { state: 'waiting', lease: 2 })).toBe('task_not_active');
});

test.each([
  ['proceed', true, true, 'resumes'],
  ['revise', false, true, 'resumes'],
  ['proceed', true, false, 'nothing'],
  ['heard', true, true, 'nothing'],
  ['already_handled', true, false, 'ends'],
  ['already_handled', false, true, 'nothing'],
] as const)('[C2A-23] %s, from its requester: %s, on its question: %s: %s', (means, isRequester, asks, expected) => {
  expect(effectOf(means, { isRequester, asks })).toBe(expected);
});

test('[C2A-22] an agent reacts to messages that it received, where it still is, and not to its own', () => {
  const told = { own: false, askedToLeave: false, delivered: true, working: false };
  const verdict = (over: Partial<typeof told>) => {
    const may = mayReact({ ...told, ...over });
    return may.ok || may.reason;
  };
  expect([
    verdict({}),
    verdict({ delivered: false, working: true }),
    verdict({ delivered: false }),
    verdict({ own: true }),
    verdict({ askedToLeave: true, own: true }),
  ]).toEqual([true, true, 'not_delivered', 'own_message', 'asked_to_leave']);
});

test('[C2A-21] each has its meaning in words', () => {
  expect(Object.keys(signalWords)).toEqual(signals);
});

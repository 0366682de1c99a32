import { describe, expect, test } from 'vitest';
import { defaultGlyphs, discharge, meaning, type Signal, signalOf, signals } from './signal.ts';

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

test('[C2A-22] what ends an event, what reports back, and what leaves it open', () => {
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

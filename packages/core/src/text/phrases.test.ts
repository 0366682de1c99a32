import { describe, expect, test } from 'vitest';
import { clausePattern, patternOf } from './phrases.ts';

test('alternatives, optional parts and named parts become one pattern', () => {
  const pattern = patternOf('^{verb} {place}( now)?$', { verb: 'leave|quit', place: '(this|the) {room}', room: 'chat\n  channel' });
  expect(pattern.source).toBe('^(?:leave|quit) (?:(?:this|the) (?:chat|channel))(?: now)?$');
  expect(['leave this chat', 'quit the channel now', 'leave chat'].map((text) => pattern.test(text))).toEqual([true, true, false]);
});

test('what looks ahead or behind stays as it is', () => {
  expect(patternOf('a(?! b)(?<=a)(?<!c)', {}).source).toBe('a(?! b)(?<=a)(?<!c)');
});

describe('a table of phrases', () => {
  const table = {
    before: 'please|just',
    after: 'now|at once',
    parts: { place: 'here|the chat' },
    phrases: `
      …leave {place}|go away…
      you may go…
      …out
      no more words
    `,
  };

  test.each([
    ['leave here', true],
    ['please just go away at once now', true],
    ['you may go now', true],
    ['please you may go', false],
    ['just out', true],
    ['out now', false],
    ['no more words', true],
    ['please no more words', false],
    ['leave the chat open', false],
    ['go away?', false],
  ])('%j is one of them: %s', (clause, isOne) => {
    expect(clausePattern(table).test(clause)).toBe(isOne);
  });

  test('may ask where its words of courtesy may', () => {
    const asking = clausePattern({ ...table, mayAsk: true });
    expect(['go away?', 'go away now ?', 'out?'].map((clause) => asking.test(clause))).toEqual([true, true, false]);
  });
});

import { describe, expect, test } from 'vitest';
import { wordsNeeded } from './literals.ts';

describe('what a pattern needs', () => {
  test.each([
    ['leave now', ['leave']],
    ['(?:please )*(?:leave|go away)(?: now)?', ['leave', 'away']],
    ['you (?:may|can) (?:leave|go)', ['you']],
    ['(?:.* )?(?:ur|you are) (?:dismissed|excused)', ['dismissed', 'excused']],
    ['your (?:presence|help) is no(?:t| longer) .{1,20}', ['your']],
    ['(?:bu |şu )?(?:konu|kanal)(?:dan|den)', ['konu', 'kanal']],
    ['.{1,40} (?:önce|sonra) gel', ['önce', 'sonra']],
  ])('%s', (pattern, words) => {
    expect(wordsNeeded(pattern)).toEqual(words);
  });

  test('is nothing that stands in the middle of a word, or may be left out', () => {
    expect(wordsNeeded('go (?:un)?(?:leaving|staying)')).toEqual(['go']);
    expect(wordsNeeded('ou?t of')).toEqual(['of']);
  });

  test('is refused where there is nothing to look for', () => {
    expect(() => wordsNeeded('(?:leave)?')).toThrow('Needs no word');
    expect(() => wordsNeeded('leave|.*')).toThrow('Needs no word');
    expect(() => wordsNeeded('(?=leave)')).toThrow('Cannot be read');
  });
});

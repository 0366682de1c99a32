import { expect, test } from 'vitest';
import { excerpt, wordsOf } from './search-excerpt.ts';

test('the word is in view, and the excerpt begins with a whole word', () => {
  const body = `${'before '.repeat(30)}needle after`;
  expect(excerpt(body, 'needle')).toMatch(/^…before (before )+needle after$/);
  expect(excerpt('a needle', 'Needle')).toBe('a needle');
  expect(excerpt('no such word', 'needle')).toBe('no such word');
  expect(excerpt(`${'x'.repeat(60)}needle tail`, 'needle')).toBe(`…${'x'.repeat(40)}needle tail`);
});

test('what is looked for cannot become a pattern', () => {
  expect(wordsOf('(a+)+$ [b]')).toEqual(['a', 'b']);
});

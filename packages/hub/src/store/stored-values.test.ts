import { expect, test } from 'vitest';
import { storedState, wordOf } from './stored-values.ts';

test('[SYS-15] rows and facts of an older version keep their words, which are read as those of today', () => {
  expect([storedState('expired'), storedState('denied')]).toEqual(['lapsed', 'denied']);
  expect(['lapsed', 'too_long', 'denied'].map(wordOf)).toEqual(['expired', 'too_slow', 'denied']);
});

import { expect, test } from 'vitest';
import { countFitting } from './page-bytes.ts';

test('[SYS-14] a page holds what fits, and always the first', () => {
  expect(countFitting([], 10)).toBe(0);
  expect(countFitting([4, 6, 1], 10)).toBe(2);
  expect(countFitting([4, 6], 10)).toBe(2);
  expect(countFitting([11, 1], 10)).toBe(1);
  expect(countFitting([1, 11], 10)).toBe(1);
});

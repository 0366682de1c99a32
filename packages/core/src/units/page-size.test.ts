import { expect, test } from 'vitest';
import { fitting } from './page-size.ts';

test('[SYS-14] a page holds what fits, and always the first', () => {
  expect(fitting([], 10)).toBe(0);
  expect(fitting([4, 6, 1], 10)).toBe(2);
  expect(fitting([4, 6], 10)).toBe(2);
  expect(fitting([11, 1], 10)).toBe(1);
  expect(fitting([1, 11], 10)).toBe(1);
});

import { expect, test } from 'vitest';
import { toLines, toOneLine, toPlainTexts } from './one-line.ts';

test('[A2C-24] a text on its way out is one line that reads in the order of its letters', () => {
  expect(toOneLine('a\r\nb\u0085c\u2028d\u202ee\u200bf\ud800g\u{E0041}h\uffffi\u009bj')).toBe('a b c d e f g h i j');
  expect(toOneLine('👨‍👩‍👧 می‌خواهم')).toBe('👨‍👩‍👧 می‌خواهم');
  expect(toLines('a\r\nb\rc\nd')).toBe('a\nb c\nd');
  expect(toPlainTexts({ 'a\u202e': ['b\r', 1, null], c: { d: 'e\u2066f' } })).toEqual({ 'a ': ['b ', 1, null], c: { d: 'e f' } });
});

import { expect, test } from 'vitest';
import { AddCalendar } from './sharing.ts';

test('[A2C-39] a calendar’s password keeps its spaces, and its address does not', () => {
  const calendar = { kind: 'url', url: ' https://cal.example/ ', username: 'ann', password: ' two spaces ' };
  expect(AddCalendar.parse(calendar)).toMatchObject({ url: 'https://cal.example/', password: ' two spaces ' });
  expect(AddCalendar.safeParse({ ...calendar, password: 'two\nlines' }).success).toBe(false);
});

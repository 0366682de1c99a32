import { describe, expect, test } from 'vitest';
import { dayWords, momentWords, readMoment, spanWords, windowRows, windowsWords } from './time-words.ts';

const zone = 'Europe/London';
const at = (text: string): number => Date.parse(text);
const windowsOf = (days: readonly string[], hours = ['09:00', '22:00']): string[] =>
  days.map((day) => `${day}T${hours[0]}Z/${day}T${hours[1]}Z`);

test('[A2C-26] a day, a moment and an interval have one style', () => {
  expect(dayWords(at('2026-11-20T19:00:00Z'), zone)).toBe('Friday 20 November');
  expect(momentWords(at('2026-11-20T19:00:00-05:00'), zone)).toBe('Saturday 21 November, 00:00');
  expect(spanWords(at('2026-11-20T19:00:00Z'), at('2026-11-20T21:00:00Z'), zone)).toBe('Friday 20 November, 19:00–21:00');
  expect(spanWords(at('2026-11-20T22:00:00Z'), at('2026-11-21T00:00:00Z'), zone)).toBe('Friday 20 November, 22:00–00:00');
  expect(spanWords(at('2026-11-20T23:00:00Z'), at('2026-11-21T01:00:00Z'), zone)).toBe(
    'Friday 20 November, 23:00 – Saturday 21 November, 01:00',
  );
});

test.each(['soon', '2026-99-20T19:00:00Z', '2026-11-20', 5, null])('%s is no moment', (text) => expect(readMoment(text)).toBeUndefined());

describe('[A2C-22] free time as people would say it', () => {
  test.each([
    ['one day', windowsOf(['2026-11-20']), 'Friday 20 November, 09:00–22:00'],
    [
      'days in a row with the same hours, in any order',
      windowsOf(['2026-11-20', '2026-11-18', '2026-11-19']),
      'Wednesday 18 November to Friday 20 November, 09:00–22:00',
    ],
    ['a gap ends the row', windowsOf(['2026-11-18', '2026-11-20']), 'Wednesday 18 November, 09:00–22:00; Friday 20 November, 09:00–22:00'],
    [
      'several windows of a day are together',
      [...windowsOf(['2026-11-18'], ['09:00', '12:00']), ...windowsOf(['2026-11-18'], ['14:00', '22:00'])],
      'Wednesday 18 November, 09:00–12:00 and 14:00–22:00',
    ],
    [
      'a row goes on where the clocks change',
      ['2027-03-27T09:00Z/2027-03-27T22:00Z', '2027-03-28T08:00Z/2027-03-28T21:00Z', '2027-03-29T08:00Z/2027-03-29T21:00Z'],
      'Saturday 27 March to Monday 29 March, 09:00–22:00',
    ],
    [
      'every second evening is no row',
      windowsOf(['2026-11-18', '2026-11-20'], ['20:00', '22:00']),
      'Wednesday 18 November, 20:00–22:00; Friday 20 November, 20:00–22:00',
    ],
    [
      'late evenings in a row are one, also where the clocks change',
      [
        '2027-03-27T23:30Z/2027-03-27T23:45Z',
        '2027-03-28T22:30Z/2027-03-28T22:45Z',
        '2027-10-30T22:30Z/2027-10-30T22:45Z',
        '2027-10-31T23:30Z/2027-10-31T23:45Z',
      ],
      'Saturday 27 March to Sunday 28 March, 23:30–23:45; Saturday 30 October to Sunday 31 October, 23:30–23:45',
    ],
    [
      'many rows are counted',
      windowsOf(['2026-11-02', '2026-11-04', '2026-11-06', '2026-11-08', '2026-11-10', '2026-11-12']),
      'Monday 2 November, 09:00–22:00; Wednesday 4 November, 09:00–22:00; Friday 6 November, 09:00–22:00; Sunday 8 November, 09:00–22:00; and 2 more',
    ],
  ])('%s', (_, windows, text) => expect(windowsWords(windows, zone)).toBe(text));

  test('a person who decides about it reads every row', () => {
    const days = ['02', '04', '06', '08', '10', '12'].map((day) => `2026-11-${day}`);
    expect(windowRows(windowsOf(days), zone)).toEqual(
      windowsOf(days).map((window) => `${dayWords(at(window.split('/')[0]!), zone)}, 09:00–22:00`),
    );
  });

  test.each([[[]], [['Friday']], [['2026-11-20T19:00:00Z/2026-11-20T18:00:00Z']], [[...windowsOf(['2026-11-20']), 7]]])(
    'anything else has no such words: %j',
    (windows) => expect(windowsWords(windows as unknown[], zone)).toBeUndefined(),
  );
});

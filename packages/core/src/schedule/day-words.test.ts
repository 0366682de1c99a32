import { describe, expect, it, test } from 'vitest';
import { datesIn, dayProblem, timesIn, whenProblem } from './day-words.ts';

/** A Tuesday. */
const today = Date.parse('2026-11-17') / 86_400_000;

describe('[A2C-24] a date in a person’s words', () => {
  test.each([
    ['lunch on 28 November', '2026-11-28'],
    ['Sunday 12 December', '2026-12-12'],
    ['28 Nov', '2026-11-28'],
    ['28 Nov. 19:30', '2026-11-28'],
    ['November 28', '2026-11-28'],
    ['Nov 28th, 2027 7pm', '2027-11-28'],
    ['on the 28th of November', '2026-11-28'],
    ['November 28 20:00', '2026-11-28'],
    ['28.11.', '2026-11-28'],
    ['on 28.11', '2026-11-28'],
    ['28.11.2027', '2027-11-28'],
    ['28/11', '2026-11-28'],
    ['28/11/2027', '2027-11-28'],
    ['1st March', '2027-03-01'],
    ['17 November', '2026-11-17'],
    ['16 November', '2027-11-16'],
    ['3 Sept', '2027-09-03'],
    ['29 February', '2028-02-29'],
    ['on the 5th', '2026-12-05'],
    ['on the 31st', '2026-12-31'],
    ['on Fri', '2026-11-20'],
    ['next thurs', '2026-11-26'],
    ['2026-11-28 or 2026-11-29', '2026-11-28', '2026-11-29'],
    ['28 or 29 November', '2026-11-28', '2026-11-29'],
    ['28, 29 or 30 November', '2026-11-28', '2026-11-29', '2026-11-30'],
    ['the 28th and the 30th of November', '2026-11-28', '2026-11-30'],
    ['November 28 or 29', '2026-11-28', '2026-11-29'],
    ['November 28, 2027', '2027-11-28'],
    ['November 28 and 7pm', '2026-11-28'],
    ['28 to 30 November', '2026-11-28', '2026-11-29', '2026-11-30'],
    ['1-3 December 2026', '2026-12-01', '2026-12-02', '2026-12-03'],
    ['28 or 29 November 2027', '2027-11-28', '2027-11-29'],
    ['1 to 31 December', ...Array.from({ length: 7 }, (_, n) => `2026-12-0${n + 1}`)],
  ])('%s', (words, ...dates) => {
    expect(datesIn(words, today)).toEqual(dates);
  });

  test.each([
    'on Firday',
    'on 31 February',
    '2026-02-30',
    'on 28 Octember',
    'lunch in the sun',
    'call at 10.10',
    'call for 1/2 hour',
    'version 1.2.3',
    'I may 7pm',
    '13/13',
    'march 7 pm',
  ])('none in %s', (words) => {
    expect(datesIn(words, today)).toEqual([]);
  });
});

describe('[A2C-24] a day that cannot be read', () => {
  it('is named, with ways to write it', () => {
    expect(dayProblem('lunch on Firday', today)).toBe(
      'I could not read the day in “on Firday”. Write for example `on Friday`, `on 28 November` or `on 2026-11-28`.',
    );
  });

  test.each(['dinner on Octember', 'dinner on 31 February', 'dinner on Firday at 19:00', 'Call on 11/28, urgent'])('%s', (words) => {
    expect(dayProblem(words, today)).toContain('I could not read the day in “on ');
  });

  test.each(['dinner', 'dinner on Friday', 'a call on the roadmap', 'call tomorrow on Zoom', 'London', 'dinner on 28.11', 'on the 28th'])(
    'is none in: %s',
    (words) => {
      expect(dayProblem(words, today)).toBeUndefined();
    },
  );

  test.each([
    ['dinner yesterday', '2026-11-16 is over. Name a day from today on.'],
    ['dinner on 2026-11-16', '2026-11-16 is over. Name a day from today on.'],
    [
      'dinner on 30 January',
      '2027-01-30 is too far ahead: peers arrange up to 74 days ahead, until 2027-01-29. Name an earlier day, or ask again later.',
    ],
    ['dinner on 29 January', undefined],
    ['dinner on 2027-03-01 or 2026-11-20', undefined],
  ])('is too early or too late: %s', (words, problem) => {
    expect([dayProblem(words, today), whenProblem(words, today)]).toEqual([problem, problem]);
  });

  test.each([
    ['', false],
    ['Friday 19:30', false],
    ['in the evening', false],
    ['next week', false],
    ['Firday', true],
    ['on Firday 19:30', true],
    ['whenever my cat is asleep', true],
  ])('in the field of a form: %s', (words, isUnread) => {
    expect(whenProblem(words, today) !== undefined).toBe(isUnread);
  });
});

describe('[A2C-24] a time in a person’s words', () => {
  test.each([
    ['dinner at 7 for 2h', ['7:00', '19:00']],
    ['lunch at 12', ['0:00', '12:00']],
    ['dinner at 7.', ['7:00', '19:00']],
    ['dinner at 7pm', ['19:00']],
    ['dinner at 19:30', ['19:30']],
    ['dinner at 10.10', []],
    ['dinner at 7th Avenue', []],
    ['dinner at 70 Main Street', []],
  ])('%s', (words, starts) => {
    expect(timesIn(words).map(({ from }) => `${Math.floor(from / 60)}:${String(from % 60).padStart(2, '0')}`)).toEqual(starts);
  });
});

// The occurrences against those of another library. It walks from the first occurrence on and cannot be stopped, so it only serves here.

import fc from 'fast-check';
import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { readProperty } from './content-lines.ts';
import { readCalendar } from './read-calendar.ts';
import { expandRule, ExpansionBudget } from './recurrence.ts';

const day = 86_400_000;
const weekdays = fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], { minLength: 1 });
const monthDays = fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { minLength: 1, maxLength: 3 });
const rule = fc
  .tuple(
    fc.oneof(
      fc.constant('FREQ=DAILY'),
      fc.constant('FREQ=HOURLY'),
      weekdays.map((days) => `FREQ=WEEKLY;BYDAY=${days.join()}`),
      fc.constant('FREQ=WEEKLY'),
      monthDays.map((days) => `FREQ=MONTHLY;BYMONTHDAY=${days.join()}`),
      fc.tuple(fc.constantFrom(1, 2, 3, 4, -1), fc.constantFrom('MO', 'WE', 'SU')).map(([n, name]) => `FREQ=MONTHLY;BYDAY=${n}${name}`),
      fc.constant('FREQ=YEARLY'),
      fc.integer({ min: 1, max: 12 }).map((month) => `FREQ=YEARLY;BYMONTH=${month};BYDAY=2TU`),
    ),
    fc.integer({ min: 1, max: 5 }),
    fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
  )
  .map(([text, interval, count]) => `${text};INTERVAL=${interval}${count === undefined ? '' : `;COUNT=${count}`}`);

test('a start near the time changes no occurrence', () => {
  fc.assert(
    fc.property(rule, fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 23 }), (text, daysBefore, hour) => {
      const from = Date.UTC(2026, 2, 23);
      const span = { from, to: from + 56 * day };
      const start = from - daysBefore * day + hour * 3_600_000;
      const property = readProperty({ line: 1, text: `RRULE:${text}` });
      const expected: number[] = [];
      const first = ICAL.Time.fromJSDate(new Date(start), true);
      for (const iterator = ICAL.Recur.fromString(text).iterator(first); ;) {
        const next = iterator.next() as ICAL.Time | null;
        const time = next && next.toJSDate().getTime();
        if (time === null || time > span.to) break;
        if (time >= span.from) expected.push(time);
      }
      expect(expandRule(property, start, span, new ExpansionBudget())).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['FREQ=MONTHLY;RSCALE=GREGORIAN;SKIP=FORWARD;BYMONTHDAY=31', 'SKIP=FORWARD'],
  ['FREQ=YEARLY;BYYEARDAY=1,100;BYDAY=MO', 'BYDAY beside BYYEARDAY'],
  ['FREQ=YEARLY;BYDAY=53TH', 'BYDAY=53TH'],
  ['FREQ=YEARLY;BYDAY=-53TH', 'BYDAY=-53TH'],
])('[A2C-15] a rule that would be read wrongly is named instead: %s', (text, part) => {
  const event = ['BEGIN:VEVENT', 'UID:1', 'DTSTART:20260101T100000Z', `RRULE:${text}`, 'END:VEVENT'];
  const span = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 11, 31), zone: 'UTC' };
  const { events, problems } = readCalendar(['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR', ''].join('\r\n'), span);
  expect([events, problems.map((one) => one.text)]).toEqual([[], [expect.stringContaining(`uses ${part}, which is not read here`)]]);
});

test('[A2C-15] the last change of a zone whose rules ended before 1970 holds ever since', () => {
  const observance = (name: string, start: string, from: string, to: string, rule: string): string[] => [
    `BEGIN:${name}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    `RRULE:FREQ=YEARLY;${rule}`,
    `END:${name}`,
  ];
  const text = [
    'BEGIN:VCALENDAR',
    'BEGIN:VTIMEZONE',
    'TZID:Old Place',
    ...observance('DAYLIGHT', '19400401T020000', '+0100', '+0200', 'BYMONTH=4;BYMONTHDAY=1;UNTIL=19600401T010000Z'),
    ...observance('STANDARD', '19401001T030000', '+0200', '+0100', 'BYMONTH=10;BYMONTHDAY=1;UNTIL=19591001T010000Z'),
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTART;TZID=Old Place:20260401T100000',
    'DTEND;TZID=Old Place:20260401T110000',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
  const { events, problems } = readCalendar(text, { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 11, 31), zone: 'UTC' });
  expect([problems, events.map(({ from }) => new Date(from).toISOString())]).toEqual([[], ['2026-04-01T08:00:00.000Z']]);
});

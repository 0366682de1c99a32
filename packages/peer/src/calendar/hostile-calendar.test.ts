// Files that are broken, huge or made to be slow. Each one ends with an error or a problem that names its line.

import { describe, expect, test } from 'vitest';
import { calendarLimits } from './content-lines.ts';
import { CalendarError } from './problems.ts';
import { type CalendarContent, readCalendar } from './read-calendar.ts';

const span = { from: Date.parse('2026-03-23T00:00Z'), to: Date.parse('2026-05-18T00:00Z'), zone: 'Europe/Berlin' };
const inCalendar = (lines: readonly string[]): string => `BEGIN:VCALENDAR\n${lines.join('\n')}\nEND:VCALENDAR\n`;
const eventOf = (...lines: string[]): string[] => ['BEGIN:VEVENT', 'UID:x', ...lines, 'END:VEVENT'];
const read = (...events: string[][]): CalendarContent => readCalendar(inCalendar(events.flat()), span);

function errorOf(text: string): string {
  try {
    readCalendar(text, span);
  } catch (error) {
    if (error instanceof CalendarError) return `${error.code} ${error.line}: ${error.message}`;
    throw error;
  }
  return 'no error';
}

describe('files that cannot be read', () => {
  test.each([
    ['nothing', '', 'not_a_calendar 0: The file begins with nothing'],
    ['a page', '<!doctype html>\n<html>', 'not_a_calendar 1: This is no calendar file: line 1 has no property name: "<!doctype html>"'],
    ['a contact', 'BEGIN:VCARD\nEND:VCARD', 'not_a_calendar 1: The file begins with VCARD'],
    ['a line outside', 'VERSION:2.0', 'not_a_calendar 1: Line 1 is outside'],
    ['a file that is cut off', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1', 'not_a_calendar 2: VEVENT begins in line 2 and does not end'],
    ['crossed ends', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR', 'not_a_calendar 3: Line 3 ends "VCALENDAR", but VEVENT is open'],
    ['an end too many', 'BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR', 'not_a_calendar 3: Line 3 ends "VCALENDAR", but nothing is open'],
    ['nesting without end', 'BEGIN:VCALENDAR\n'.repeat(100_000), 'not_a_calendar 9: Line 9 nests components more than 8 deep'],
    ['too many characters', ' '.repeat(calendarLimits.fileLength + 1), 'too_large 0: The file has 10485761 characters'],
    [
      'too many events',
      inCalendar(Array.from({ length: 100_001 }, () => 'BEGIN:VEVENT\nEND:VEVENT')),
      'too_large 200000: Line 200000 begins component 100001',
    ],
  ])('%s', (_, text, expected) => {
    expect(errorOf(text)).toContain(expected);
  });

  test('an unknown zone of the person is refused', () => {
    expect(() => readCalendar(inCalendar([]), { ...span, zone: 'Nowhere/Land' })).toThrow('"Nowhere/Land"');
  });
});

describe('events that cannot be read', () => {
  test.each([
    ['DTSTART', ['DTSTART:20261317T090000Z'], 'DTSTART in line 4 is no date that exists'],
    ['DTSTART', ['DTSTART:20260230T090000Z'], 'DTSTART in line 4 is no date that exists'],
    ['DTSTART', ['DTSTART:20260324T250000Z'], 'DTSTART in line 4 is no date that exists'],
    ['DTSTART', ['DTSTART:soon'], 'DTSTART in line 4 is no date that exists'],
    ['DTSTART', ['DTSTART;TZID="a'], 'DTSTART in line 4 cannot be read'],
    ['DTSTART', ['SUMMARY:no start'], 'The event in line 2 has no DTSTART'],
    ['DTEND', ['DTSTART:20260324T090000Z', 'DTEND:20260324T080000Z'], 'DTEND in line 5 is before DTSTART'],
    ['DURATION', ['DTSTART:20260324T090000Z', 'DURATION:-PT1H'], 'DURATION in line 5 is no length'],
    ['DURATION', ['DTSTART:20260324T090000Z', 'DURATION:P'], 'DURATION in line 5 is no length'],
    ['RRULE', ['DTSTART:20260324T090000Z', 'RRULE:FREQ=SOMETIMES'], 'RRULE in line 5 cannot be read'],
    ['RRULE', ['DTSTART:20260324T090000Z', 'RRULE:COUNT=3'], 'RRULE in line 5 needs a FREQ'],
    ['RRULE', ['DTSTART:20260324T090000Z', 'RRULE:FREQ=DAILY;INTERVAL=0'], 'RRULE in line 5'],
    ['RRULE', ['DTSTART:20260324T090000Z', 'RRULE:FREQ=DAILY;UNTIL=never'], 'UNTIL in line 5'],
    ['RRULE', ['DTSTART:20200101T000000Z', 'RRULE:FREQ=SECONDLY'], 'RRULE in line 5 recurs too often'],
    ['RRULE', ['DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY;COUNT=9999999999'], 'RRULE in line 5 recurs too often'],
    ['RRULE', ['DTSTART:20260101T000000Z', 'RRULE:FREQ=MINUTELY'], 'RRULE in line 5 recurs too often'],
    ['RRULE', ['DTSTART:19000101T000000Z', 'RRULE:FREQ=DAILY;COUNT=1;BYMONTH=2;BYMONTHDAY=30'], 'RRULE in line 5 recurs too often'],
    ['RRULE', ['DTSTART:20260101T000000Z', 'RRULE:RSCALE=HEBREW;FREQ=YEARLY'], 'RRULE in line 5 counts in another calendar'],
    ['EXDATE', ['DTSTART:20260324T090000Z', 'EXDATE:20260399T090000Z'], 'EXDATE in line 5 is no date'],
    ['RECURRENCE-ID', ['DTSTART:20260324T090000Z', 'RECURRENCE-ID:x'], 'RECURRENCE-ID in line 5 is no date'],
  ])('%s: %s', (field, lines, expected) => {
    const { events, problems, problemCount } = read(eventOf(...lines), eventOf('DTSTART:20260325T090000Z'));
    expect(problems[0]).toEqual({
      line: lines[0]!.startsWith('SUMMARY') ? 2 : 3 + lines.length,
      field,
      text: expect.stringContaining(expected) as string,
    });
    expect([problemCount, events.length]).toEqual([1, 1]);
  });

  test('a line that is too long is named, and one that nobody reads may be long', () => {
    const long = 'x'.repeat(calendarLimits.lineLength);
    expect(read(eventOf('DTSTART:20260325T090000Z', `DESCRIPTION:${long}`)).events).toHaveLength(1);
    expect(read(eventOf('DTSTART:20260325T090000Z', `SUMMARY:${long}`)).problems[0]).toMatchObject({ line: 5, field: 'SUMMARY' });
  });

  test('only the first twenty problems are listed, and all are counted', () => {
    const { problems, problemCount } = read(...Array.from({ length: 500 }, () => eventOf('DTSTART:x')));
    expect([problems.length, problemCount]).toEqual([20, 500]);
  });

  test('rules that are bearable one by one are refused together', () => {
    const rules = Array.from({ length: 25 }, () => eventOf('DTSTART:20200101T090000Z', 'RRULE:FREQ=HOURLY'));
    expect(errorOf(inCalendar(rules.flat()))).toMatch(/^too_large \d+: The rules up to line \d+ need more than/);
  });

  test.each([
    ['no day matches', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
    ['no second of any day matches', 'FREQ=SECONDLY;INTERVAL=3600;BYMONTH=2;BYMONTHDAY=30'],
    ['no set has that many', 'FREQ=MONTHLY;BYDAY=1TH;BYSETPOS=2'],
    ['the next one is after the end of time', 'FREQ=YEARLY;INTERVAL=99999999'],
  ])('a rule without occurrences ends: %s', (_, rule) => {
    expect(read(eventOf('DTSTART:20200106T090000Z', `RRULE:${rule}`)).events).toEqual([]);
  });

  test('a zone that changes the clock without end is named', () => {
    const onsets = Array.from({ length: 1001 }, (_, n) => `${String(1000 + n)}0101T000000`).join(',');
    const zone = ['DTSTART:19700101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', `RDATE:${onsets}`];
    const described = ['BEGIN:VTIMEZONE', 'TZID:Z', 'BEGIN:STANDARD', ...zone, 'END:STANDARD', 'END:VTIMEZONE'];
    const { problems } = read(described, eventOf('DTSTART;TZID=Z:20260325T090000'));
    expect(problems[0]).toMatchObject({ line: 2, text: expect.stringContaining('changes the clock 1001 times') as string });
  });

  test('names that objects have of their own are names like any other', () => {
    const names = ['__PROTO__:x', 'CONSTRUCTOR;TOSTRING=y:x', 'DTSTART;__PROTO__=x;CONSTRUCTOR=y:20260325T090000Z'];
    expect(read(eventOf(...names)).events).toHaveLength(1);
  });
});

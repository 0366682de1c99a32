import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CalendarEvent, readCalendar } from './read-calendar.ts';
import { writeCalendar } from './write-calendar.ts';

const hour = 3_600_000;
const span = { from: Date.parse('2026-03-23T00:00Z'), to: Date.parse('2026-05-18T00:00Z'), zone: 'Australia/Lord_Howe' };

/** As a person may write it. Control characters have no place in iCalendar. */
const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }),
  fc.constantFrom('a,b;c\\d\ne"f:g', 'ÄÖÜ 🎉'.repeat(40)),
);
const text = words
  .filter((one) => one.trim() !== '')
  .map((one) => one.replace(/[\p{Cc}\u{2028}\u{2029}]/gu, (found) => (found === '\n' ? found : '.')));
const event: fc.Arbitrary<CalendarEvent> = fc.record({
  uid: fc.uuid(),
  from: fc.integer({ min: 0, max: 1000 }).map((n) => span.from + n * hour),
  to: fc.constant(span.to),
  dates: fc.constant(undefined),
  summary: fc.option(text, { nil: undefined }),
  place: fc.option(text, { nil: undefined }),
  isBusy: fc.boolean(),
});

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), (events) => {
      const { events: found, problems } = readCalendar(writeCalendar(events, span.from), span);
      expect(problems).toEqual([]);
      expect(found.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))).toEqual(events.toSorted((a, b) => (a.uid < b.uid ? -1 : 1)));
    }),
    { numRuns: 100 },
  );
});

test('whole days stay whole days', () => {
  const day: CalendarEvent = { uid: 'day', from: 0, to: 0, dates: { from: '2026-04-04', to: '2026-04-06' }, isBusy: true };
  expect(writeCalendar([day], 0)).toContain('DTSTART;VALUE=DATE:20260404\r\nDTEND;VALUE=DATE:20260406');
  // The first night of the island is half an hour longer.
  expect(readCalendar(writeCalendar([day], 0), span).events[0]).toMatchObject({
    dates: day.dates,
    from: Date.parse('2026-04-03T13:00Z'),
    to: Date.parse('2026-04-05T13:30Z'),
  });
});

test('lines are folded at 75 octets and end with CRLF', () => {
  const written = writeCalendar([{ uid: 'a', from: 0, to: hour, summary: 'ü'.repeat(300), isBusy: true }], 0);
  const lines = written.split('\r\n');
  expect(lines.at(-1)).toBe('');
  expect(Math.max(...lines.map((line) => new TextEncoder().encode(line).length))).toBeLessThanOrEqual(75);
  expect(written).not.toMatch(/[^\r]\n/);
});

import { spawnSync } from 'node:child_process';
import { toOneLine } from '@parley/protocol';
import fc from 'fast-check';
import ical from 'node-ical';
import { expect, test } from 'vitest';
import { type CalendarEvent, readCalendar } from './read-calendar.ts';
import { writeCalendar } from './write-calendar.ts';

const hour = 3_600_000;
const span = { from: Date.parse('2026-03-23T00:00Z'), to: Date.parse('2026-05-18T00:00Z'), zone: 'Australia/Lord_Howe' };

/** As a peer may write it. */
const planted = ['\r', '\n', '\r\n', '\u0085', '\u2028', '\v', '\u202e', '\ud800', '\uffff', '\0'].map(
  (end) => `Lunch${end}END:VEVENT${end}BEGIN:VEVENT${end}UID:planted${end}DTSTART:20260401T100000Z${end}SUMMARY:Pay Eve`,
);
const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }),
  fc.constantFrom('a,b;c\\d\ne"f:g', 'ÄÖÜ 🎉'.repeat(40), ...planted),
);
const text = words.filter((one) => toOneLine(one).trim() !== '');
const shown = <T extends string | undefined>(one: T): T => (one === undefined ? one : (toOneLine(one) as T));
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
      const lines = events.map((one) => ({ ...one, summary: shown(one.summary), place: shown(one.place) }));
      expect(found.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))).toEqual(lines.toSorted((a, b) => (a.uid < b.uid ? -1 : 1)));
    }),
    { numRuns: 100 },
  );
});

const python = '/usr/bin/python3';
/** Prints the summaries of each calendar in a JSON list. */
const vobjectReader = `
import json, sys, vobject
read = lambda text: [str(e.summary.value) for c in vobject.readComponents(text) for e in c.contents.get('vevent', [])]
print(json.dumps([read(text) for text in json.load(sys.stdin)]))`;

test('other programs find the same events, and no planted one [A2C-24]', () => {
  const files: { written: string; summaries: string[] }[] = [];
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), text, (summaries, place) => {
      const events = summaries.map((summary, at) => ({
        uid: `u${at}`,
        from: at * hour,
        to: (at + 1) * hour,
        summary,
        place,
        isBusy: true,
      }));
      const written = writeCalendar(events, 0);
      expect(Object.keys(ical.sync.parseICS(written)).filter((key) => key !== 'vcalendar')).toEqual(events.map(({ uid }) => uid));
      // A CalDAV server hands it out inside XML 1.0.
      expect(written).toMatch(/^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u);
      files.push({ written, summaries: summaries.map(toOneLine) });
    }),
    { numRuns: 60, examples: planted.map((one) => [[one], one]) },
  );
  if (spawnSync(python, ['-c', 'import vobject']).status !== 0) return;
  const read = spawnSync(python, ['-c', vobjectReader], { input: JSON.stringify(files.map(({ written }) => written)), encoding: 'utf8' });
  expect(JSON.parse(read.stdout)).toEqual(files.map(({ summaries }) => summaries));
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

// Files of the largest size that is read. They take seconds, so they run with the long cases.

import { describe, expect, test } from 'vitest';
import { type CalendarContent, CalendarError, readCalendar } from '../../src/calendar/index.ts';

const span = { from: Date.parse('2026-03-23T00:00Z'), to: Date.parse('2026-05-18T00:00Z'), zone: 'Europe/Berlin' };
const eventOf = (...lines: string[]): string[] => ['BEGIN:VEVENT', 'UID:x', ...lines, 'END:VEVENT'];
const read = (...events: string[][]): CalendarContent =>
  readCalendar(`BEGIN:VCALENDAR\n${events.flat().join('\n')}\nEND:VCALENDAR\n`, span);

describe('large files', () => {
  test('100,000 events are read', () => {
    const events = Array.from({ length: 99_999 }, (_, n) => eventOf(`DTSTART:2026${n % 2 === 0 ? '04' : '09'}25T090000Z`, 'DURATION:PT1H'));
    expect(read(...events).events).toHaveLength(50_000);
  });

  test('more occurrences than anybody has are refused', () => {
    const events = Array.from({ length: 99_999 }, () => eventOf('DTSTART:20260425T090000Z'));
    expect(() => read(...events)).toThrow(CalendarError);
    expect(() => read(...events)).toThrow('The file has more than 50000 events');
  });

  test('a change for each occurrence, and exceptions without number, take no time squared', () => {
    const rule = eventOf('DTSTART:20200101T000000Z', 'RRULE:FREQ=HOURLY');
    const changes = Array.from({ length: 30_000 }, (_, n) => {
      const at = new Date(span.from + n * 1_800_000).toISOString().slice(0, 19).replace(/[-:]/g, '');
      return eventOf(`RECURRENCE-ID;RANGE=THISANDFUTURE:${at}Z`, `DTSTART:${at}Z`);
    });
    expect(read(rule, ...changes).events.length).toBeGreaterThan(1000);
    const exceptions = Array.from({ length: 300 }, () => `EXDATE:${'20260325T090000Z,'.repeat(1000).slice(0, -1)}`);
    expect(read(eventOf('DTSTART:20260324T090000Z', 'RRULE:FREQ=DAILY;COUNT=3', ...exceptions)).events).toHaveLength(2);
  });
});

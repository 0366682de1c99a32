// From two dropped files to a dinner and back to a file.

import { findMeetingWindows, type MeetingParticipant } from '@parley/core';
import { expect, test } from 'vitest';
import { busyOf, readCalendar, writeCalendar, zoneOffsets } from '../../src/calendar/index.ts';

const span = { from: Date.parse('2026-03-23T00:00Z'), to: Date.parse('2026-05-18T00:00Z') };

function participant(id: string, zone: string, lines: string[], wishes: Partial<MeetingParticipant> = {}): MeetingParticipant {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
  const { events, problems } = readCalendar(text, { ...span, zone });
  expect(problems).toEqual([]);
  return { id, busy: busyOf(events), offsets: zoneOffsets(zone, span.from, span.to)!, ...wishes };
}

const series = (uid: string, start: string, length: string, rule: string, ...lines: string[]): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `DTSTART;${start}`,
  `DURATION:${length}`,
  `RRULE:${rule}`,
  ...lines,
  'END:VEVENT',
];

test('[A2C-15] a call between Berlin and New York moves with both clocks, around both calendars', () => {
  // Berlin changes its clock on 29 March; New York did on 8 March. In between they are five hours apart instead of six.
  const ann = participant('ann', 'Europe/Berlin', series('choir', 'TZID=Europe/Berlin:20260323T150000', 'PT3H', 'FREQ=DAILY'), {
    weekdays: [0],
    flexibility: { date: 'not_flexible' },
  });
  const bob = participant(
    'bob',
    'America/New_York',
    series('class', 'TZID=America/New_York:20250106T150000', 'PT2H', 'FREQ=WEEKLY;BYDAY=MO'),
  );
  const formats = [{ name: 'call', minutes: 120, inPerson: false }];
  const { windows, relaxations } = findMeetingWindows({ ...span, participants: [ann, bob], formats });
  expect(windows.slice(0, 2).map(({ from }) => new Date(from).toISOString())).toEqual([
    '2026-03-23T17:00:00.000Z',
    '2026-03-30T16:00:00.000Z',
  ]);
  expect(relaxations[0]!.constraints).toEqual([{ who: 'ann', kind: 'date' }]);

  const [{ from, to }] = windows as [(typeof windows)[0]];
  const written = writeCalendar([{ uid: 'call', from, to, summary: 'Call', isBusy: true }], span.from);
  expect(busyOf(readCalendar(written, { ...span, zone: 'America/New_York' }).events)).toEqual([{ from, to }]);
});

// Calendars that disagree about one event: the person is busy wherever one of them says so.

import { expect, test } from 'vitest';
import { textCalendar } from './folder-calendar.ts';

const calendar = (...lines: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (from: string, to: string, ...more: string[]): string[] => [
  'BEGIN:VEVENT',
  'UID:dentist',
  `DTSTART:20261120T${from}00Z`,
  `DTEND:20261120T${to}00Z`,
  ...more,
  'END:VEVENT',
];
const span = { from: Date.parse('2026-11-20T00:00Z'), to: Date.parse('2026-11-21T00:00Z') };

const busyIn = async (...texts: string[]): Promise<string[]> => {
  const [own, ...linked] = texts;
  const all = textCalendar({ own: async () => own, replaceOwn: async () => {}, linked: async (link) => linked[Number(link)]! }, fetch);
  const busy = await all.busy(Object.keys(linked), span, 'UTC');
  return busy.map(({ from, to }) => [from, to].map((time) => new Date(time).toISOString().slice(11, 16)).join('–'));
};

test.each<[string, string[], string[]]>([
  ['the same event at two times', [calendar(...event('1000', '1100')), calendar(...event('1400', '1500'))], ['10:00–11:00', '14:00–15:00']],
  ['cancelled in one', [calendar(...event('1000', '1100', 'STATUS:CANCELLED')), calendar(...event('1000', '1100'))], ['10:00–11:00']],
  ['free in one', [calendar(...event('1000', '1100', 'TRANSP:TRANSPARENT')), calendar(...event('1000', '1100'))], ['10:00–11:00']],
  ['an end before the beginning', [calendar(...event('1100', '1000')), calendar(...event('1100', '1200'))], ['11:00–12:00']],
  [
    'cancelled in both',
    [calendar(...event('1000', '1100', 'STATUS:CANCELLED')), calendar(...event('1000', '1100', 'STATUS:CANCELLED'))],
    [],
  ],
])('[A2C-18] %s', async (_, texts, busy) => {
  expect(await busyIn(...texts)).toEqual(busy);
});

test('[A2C-18] one event twice in a file, with other times: the later version counts', async () => {
  const twice = calendar(...event('1000', '1100', 'SEQUENCE:1'), ...event('1400', '1500', 'SEQUENCE:2'));
  expect(await busyIn(twice)).toContain('14:00–15:00');
});

// A real CalDAV server, Debian's Radicale.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { advice, findRadicale, isRequired } from '@parley/testkit/programs';
import { startRadicale, type TestCalendarServer } from '@parley/testkit/radicale';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  addRemoteEvent,
  basicAuthorization,
  busyOf,
  type CalendarAccess,
  type CalendarEvent,
  folderCalendar,
  listCalendars,
  readRemoteCalendar,
  removeRemoteEvent,
} from '../../src/calendar/index.ts';

const radicale = findRadicale();
const authorization = basicAuthorization('bjørn', 'ünsafe');
const span = { from: Date.parse('2026-03-23T00:00Z'), to: Date.parse('2026-05-18T00:00Z'), zone: 'Europe/Berlin' };
const dinner: CalendarEvent = {
  uid: 'thr_1',
  from: Date.parse('2026-03-27T18:00Z'),
  to: Date.parse('2026-03-27T20:00Z'),
  summary: 'Dinner; with "Bob", 7 pm',
  place: 'Dopo, Market Place',
  isBusy: true,
};

let server: TestCalendarServer | undefined;
let access: CalendarAccess;

beforeAll(async () => {
  server = await startRadicale({ username: 'bjørn', authorization });
  access = { url: server?.calendar ?? '', authorization, fetch };
});
afterAll(() => server?.stop());

test('[A2C-29] an event is added, read and removed, and each of them can be repeated', async ({ skip }) => {
  skip(!radicale && !isRequired('radicale'), advice.radicale);
  expect(radicale, advice.radicale).toBeDefined();
  expect((await readRemoteCalendar(access, span)).events).toEqual([]);
  await addRemoteEvent(access, dinner, span.from);
  await addRemoteEvent(access, { ...dinner, summary: 'Repeated' }, span.from);
  const { events, problems } = await readRemoteCalendar(access, span);
  expect([events, problems]).toEqual([[{ ...dinner, dates: undefined }], []]);
  expect(busyOf(events)).toEqual([{ from: dinner.from, to: dinner.to, place: dinner.place }]);
  await removeRemoteEvent(access, dinner.uid);
  await removeRemoteEvent(access, dinner.uid);
  expect((await readRemoteCalendar(access, span)).events).toEqual([]);
});

test('[A2C-15] a series that began years ago is found, with its changed and removed occurrences', async ({ skip }) => {
  skip(!radicale && !isRequired('radicale'), advice.radicale);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//test//EN',
    'BEGIN:VEVENT',
    'UID:weekly',
    'DTSTAMP:20260101T000000Z',
    'DTSTART;TZID=Europe/Berlin:20230102T090000',
    'DURATION:PT1H',
    'RRULE:FREQ=WEEKLY;BYDAY=MO',
    'EXDATE;TZID=Europe/Berlin:20260406T090000',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:weekly',
    'DTSTAMP:20260101T000000Z',
    'RECURRENCE-ID;TZID=Europe/Berlin:20260330T090000',
    'DTSTART;TZID=Europe/Berlin:20260331T150000',
    'DURATION:PT1H',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ];
  const stored = await fetch(new URL('weekly.ics', access.url), {
    method: 'PUT',
    body: lines.join('\r\n'),
    headers: { authorization, 'content-type': 'text/calendar' },
  });
  expect(stored.status).toBe(201);
  const { events } = await readRemoteCalendar(access, span);
  expect(events.slice(0, 3).map(({ from }) => new Date(from).toISOString().slice(0, 16))).toEqual([
    '2026-03-23T08:00',
    '2026-03-31T13:00',
    '2026-04-13T07:00',
  ]);
});

test('[A2C-39] the address of a server leads to its calendars, that of a calendar to itself', async ({ skip }) => {
  skip(!radicale && !isRequired('radicale'), advice.radicale);
  const [found] = await listCalendars({ ...access, url: server!.url });
  expect(new URL(found!.url).pathname).toBe(new URL(access.url).pathname);
  expect(await listCalendars(access)).toHaveLength(1);
});

test('[A2C-29] a peer adds its event to the server and to its own calendar, reads both as busy, and removes it', async ({ skip }) => {
  skip(!radicale && !isRequired('radicale'), advice.radicale);
  const folder = await mkdtemp(join(tmpdir(), 'parley-calendar-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const calendar = folderCalendar(folder);
  const servers = [{ url: access.url, username: 'bjørn', password: 'ünsafe' }];
  const { uid, from, to, summary } = dinner;
  const day = { from: Date.parse('2026-03-27T00:00Z'), to: Date.parse('2026-03-28T00:00Z') };
  const eventsThere = async (): Promise<number> => (await readRemoteCalendar(access, { ...span, ...day })).events.length;
  for (let times = 0; times < 2; times += 1) await calendar.add({ uid, from, to, summary: summary!, place: 'Dopo' }, span.from, servers);
  expect(await eventsThere()).toBe(1);
  expect(await calendar.busy([], day, 'UTC', servers)).toEqual(Array.from({ length: 2 }, () => ({ from, to, place: 'Dopo' })));
  for (let times = 0; times < 2; times += 1) await calendar.remove(uid, span.from, servers);
  expect(await eventsThere()).toBe(0);
  expect(await readFile(join(folder, 'calendar.ics'), 'utf8')).not.toContain('VEVENT');
  const away = [{ ...servers[0]!, url: 'http://127.0.0.1:1/ann/' }];
  await expect(calendar.busy([], day, 'UTC', away)).rejects.toThrow('127.0.0.1:1');
});

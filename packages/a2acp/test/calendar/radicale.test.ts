// A real CalDAV server, Debian's Radicale.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@parley/testkit/free-port';
import { advice, findRadicale, isRequired } from '@parley/testkit/programs';
import { waitFor } from '@parley/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addRemoteEvent,
  basicAuthorization,
  busyOf,
  type CalendarAccess,
  type CalendarEvent,
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

let folder: string;
let server: string;
let running: ChildProcess | undefined;
let access: CalendarAccess;

beforeAll(async () => {
  if (!radicale) return;
  folder = await mkdtemp(join(tmpdir(), 'parley-radicale-'));
  const port = await freePort();
  server = `http://127.0.0.1:${port}/`;
  // Without an authentication of its own, Radicale takes the user name as it comes.
  const options = ['--config', '', '--server-hosts', `127.0.0.1:${port}`, '--storage-filesystem-folder', folder, '--auth-type', 'none'];
  running = spawn(radicale.path, options, { stdio: 'ignore' });
  await waitFor(() => fetch(server));
  const calendar = `${server}${encodeURIComponent('bjørn')}/private/`;
  await fetch(calendar, { method: 'MKCALENDAR', headers: { authorization } });
  access = { url: calendar, authorization, fetch };
});
afterAll(async () => {
  if (running && running.exitCode === null) {
    running.kill('SIGKILL');
    await once(running, 'exit');
  }
  if (radicale) await rm(folder, { recursive: true });
});

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
  const [found] = await listCalendars({ ...access, url: server });
  expect(new URL(found!.url).pathname).toBe(new URL(access.url).pathname);
  expect(await listCalendars(access)).toHaveLength(1);
});

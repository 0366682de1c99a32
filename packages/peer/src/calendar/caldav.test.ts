// How a calendar server can disappoint. A real one is in test/calendar.

import { describe, expect, test } from 'vitest';
import { basicAuthorization, type CalendarAccess } from './bounded-fetch.ts';
import { addRemoteEvent, listCalendars, readRemoteCalendar, removeRemoteEvent } from './caldav.ts';
import { CalendarError } from './problems.ts';
import type { CalendarEvent } from './read-calendar.ts';

const span = { from: Date.parse('2026-03-23T00:00Z'), to: Date.parse('2026-05-18T00:00Z'), zone: 'Europe/Berlin' };
const event: CalendarEvent = { uid: 'a/b', from: span.from, to: span.from + 1, isBusy: true };
const url = 'https://cal.example.org/ann/';

interface Call {
  url: string;
  method: string | undefined;
  authorization: string | null;
  redirect: string | undefined;
}

/** A server that gives these answers in turn. */
function server(...answers: (() => Response)[]): { access: CalendarAccess; calls: Call[] } {
  const calls: Call[] = [];
  const fake: typeof fetch = (input, init) => {
    const target = (input as URL).href;
    calls.push({
      url: target,
      method: init?.method,
      authorization: new Headers(init?.headers).get('authorization'),
      redirect: init?.redirect,
    });
    const answer = answers[calls.length - 1];
    return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
  };
  return { access: { url, authorization: basicAuthorization('ann', 'p'), fetch: fake }, calls };
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status: code, headers });
const xml =
  (body: string, code = 207) =>
  () =>
    new Response(body, { status: code, headers: { 'content-type': 'application/xml' } });
const multistatus = (...responses: string[]): string =>
  `<multistatus xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${responses.join('')}</multistatus>`;
const object = (data: string): string =>
  `<response><href>/ann/1.ics</href><propstat><prop><c:calendar-data>${data}</c:calendar-data></prop><status>HTTP/1.1 200 OK</status></propstat></response>`;
const calendar = (line: string): string => `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\n${line}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

async function errorOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'no error',
    (error: unknown) => (error instanceof CalendarError ? `${error.code}: ${error.message}` : `unexpected ${String(error)}`),
  );
}

describe('reading', () => {
  test.each([
    ['a wrong password', status(401), 'unauthorized: cal.example.org does not accept'],
    [
      'a calendar that is not there',
      status(404),
      'refused: cal.example.org could not be read as a CalDAV server: Collection query failed: 404',
    ],
    [
      'a page instead of a calendar',
      () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } }),
      'is not that of a CalDAV calendar',
    ],
    ['a page that claims to be XML', xml('<html><p>Sign in</html>', 200), 'is not that of a CalDAV calendar'],
    ['an object without data', xml(multistatus('<response><href>/x</href></response>')), 'is not that of a CalDAV calendar'],
    ['too many bytes', () => new Response(new Uint8Array(21 * 1024 * 1024)), 'too_large: cal.example.org answers with more than'],
  ])('%s is an error, never a free calendar', async (_, answer, expected) => {
    expect(await errorOf(readRemoteCalendar(server(answer).access, span))).toContain(expected);
  });

  test('a server that is away is named with the reason', async () => {
    expect(await errorOf(readRemoteCalendar(server().access, span))).toBe(
      'server_away: No answer from cal.example.org: connect ECONNREFUSED.',
    );
  });

  test('a damaged object is reported and hides no other', async () => {
    const answer = xml(multistatus(object(calendar('DTSTART:20260324T090000Z')), object('BEGIN:VCALENDAR'), object(calendar('DTSTART:x'))));
    const { events, problems, problemCount } = await readRemoteCalendar(server(answer).access, span);
    expect([events.length, problemCount, problems.map(({ field }) => field)]).toEqual([1, 2, ['', 'DTSTART']]);
  });

  test('objects share one limit for their rules', async () => {
    const rule = object(calendar('DTSTART:20200101T000000Z\r\nRRULE:FREQ=HOURLY'));
    expect(await errorOf(readRemoteCalendar(server(xml(multistatus(...Array.from({ length: 25 }, () => rule)))).access, span))).toMatch(
      /^too_large/,
    );
  });

  test('an empty calendar is free', async () => {
    expect((await readRemoteCalendar(server(xml(multistatus())).access, span)).events).toEqual([]);
  });
});

describe('addresses', () => {
  test.each(['http://cal.example.org/', 'ftp://cal.example.org/', 'file:///etc/passwd', 'cal.example.org', ''])(
    '%j is refused before anything is sent',
    async (address) => {
      const { access, calls } = server(status(207));
      for (const work of [readRemoteCalendar, listCalendars] as const)
        expect(await errorOf(work({ ...access, url: address }, span))).toMatch(/^bad_input/);
      expect(calls).toEqual([]);
    },
  );

  test('each redirect goes through the fetch that was handed in, with its own address', async () => {
    const { access, calls } = server(status(301, { location: '/dav/ann/' }), xml(multistatus()));
    await readRemoteCalendar(access, span);
    expect(calls).toEqual([
      { url, method: 'REPORT', authorization: 'Basic YW5uOnA=', redirect: 'manual' },
      { url: 'https://cal.example.org/dav/ann/', method: 'REPORT', authorization: 'Basic YW5uOnA=', redirect: 'manual' },
    ]);
  });

  test.each(['https://eu.example.org/ann/', 'https://cal.example.org:8443/ann/', 'https://cal.example.org.evil.example/ann/'])(
    'a password goes to no host that a redirect or an answer names: %s [A2C-39]',
    async (location) => {
      const redirecting = server(status(301, { location }), xml(multistatus()));
      expect(await errorOf(readRemoteCalendar(redirecting.access, span))).toMatch(
        `which does not get your password. If it is yours, use its address: ${location}`,
      );
      expect(redirecting.calls).toHaveLength(1);
      const home = `<multistatus xmlns="DAV:"><response><href>/</href><propstat><prop><current-user-principal><href>${location}</href></current-user-principal></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`;
      const answering = server(...Array.from({ length: 6 }, () => xml(home)));
      await errorOf(listCalendars(answering.access));
      expect(new Set(answering.calls.map((call) => new URL(call.url).host))).toEqual(new Set(['cal.example.org']));
    },
  );

  test('a redirect to plain HTTP, or without end, is refused', async () => {
    const plain = server(status(302, { location: 'http://cal.example.org/ann/' }));
    expect(await errorOf(readRemoteCalendar(plain.access, span))).toMatch(/^bad_input: A calendar server needs/);
    expect(plain.calls).toHaveLength(1);
    const loop = server(...Array.from({ length: 9 }, () => status(302, { location: url })));
    expect(await errorOf(readRemoteCalendar(loop.access, span))).toMatch(/^refused: cal.example.org redirects more than 3 times/);
    expect(loop.calls).toHaveLength(4);
  });

  test('an address that leads nowhere is an error for a list too', async () => {
    expect(await errorOf(listCalendars(server(xml(multistatus())).access))).toMatch(/^(?:refused|server_away)/);
  });
});

describe('adding and removing', () => {
  test.each([
    ['added', addRemoteEvent, status(201), 'no error'],
    ['there already', addRemoteEvent, status(412), 'no error'],
    ['not allowed', addRemoteEvent, status(403), 'refused: cal.example.org refused to add the event: 403'],
    ['no room', addRemoteEvent, status(507), 'refused: cal.example.org refused to add the event: 507'],
  ])('an event is %s', async (_, add, answer, expected) => {
    const { access, calls } = server(answer);
    expect(await errorOf(add(access, event, span.from))).toContain(expected);
    expect(calls).toMatchObject([{ url: `${url}a%2Fb.ics`, method: 'PUT' }]);
  });

  test.each([
    ['removed', status(204), 'no error'],
    ['gone already', status(404), 'no error'],
    ['kept', status(423), 'refused: cal.example.org refused to remove the event: 423'],
  ])('an event is %s', async (_, answer, expected) => {
    const { access, calls } = server(answer);
    expect(await errorOf(removeRemoteEvent({ ...access, url: url.slice(0, -1) }, event.uid))).toContain(expected);
    expect(calls).toMatchObject([{ url: `${url}a%2Fb.ics`, method: 'DELETE' }]);
  });

  test('an event without a UID has no address', async () => {
    expect(await errorOf(removeRemoteEvent(server().access, ''))).toBe('bad_input: An event needs a UID.');
  });
});

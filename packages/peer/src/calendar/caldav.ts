// A calendar on a CalDAV server (RFC 4791): its events in a time, an event more, an event less. Adding and removing are safe to repeat.

import { calendarQuery, createAccount, createCalendarObject, deleteObject, type DAVResponse, propfind } from 'tsdav';
import { boundedFetch, type CalendarAccess, checkedUrl } from './bounded-fetch.ts';
import { CalendarError } from './problems.ts';
import { type CalendarContent, type CalendarEvent, type CalendarSpan, orderEvents, readCalendar } from './read-calendar.ts';
import { ExpansionBudget } from './recurrence.ts';
import { writeCalendar } from './write-calendar.ts';

export interface RemoteCalendar {
  url: string;
  name: string;
}

const nameOf = (name: unknown, url: string): string =>
  typeof name === 'string' || typeof name === 'number' ? String(name) : new URL(url).pathname;

/** The calendar at the address itself, or all those that the server has for the person. */
export async function listCalendars(access: CalendarAccess): Promise<RemoteCalendar[]> {
  const fetch = boundedFetch(access);
  const { href } = checkedUrl(access.url);
  return translated(href, async () => {
    const [own] = await propfind({ url: href, props: { 'd:resourcetype': {}, 'd:displayname': {} }, depth: '0', fetch });
    const { resourcetype, displayname } = (own?.props ?? {}) as { resourcetype?: object; displayname?: unknown };
    if (resourcetype && 'calendar' in resourcetype) return [{ url: href, name: nameOf(displayname, href) }];
    const { calendars = [] } = await createAccount({ account: { serverUrl: href, accountType: 'caldav' }, loadCollections: true, fetch });
    return calendars
      .filter(({ components }) => components === undefined || components.length === 0 || components.includes('VEVENT'))
      .map(({ url, displayName }) => ({ url, name: nameOf(displayName, url) }));
  });
}

/** Where an address leads to several, the person names one. */
export async function onlyCalendar(access: CalendarAccess): Promise<RemoteCalendar> {
  const [first, ...others] = await listCalendars(access);
  if (!first) throw new CalendarError('bad_input', `${new URL(access.url).host} has no calendar for this user name.`);
  if (others.length === 0) return first;
  const known = [first, ...others].map(({ url, name }) => `${url} (${name})`).join(', ');
  throw new CalendarError('bad_input', `There are several calendars. Name one: ${known.slice(0, 2000)}`);
}

const stamp = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

/** The server looks for the events; their occurrences are worked out here, because servers differ in that. */
export async function readRemoteCalendar(access: CalendarAccess, span: CalendarSpan): Promise<CalendarContent> {
  const { href } = checkedUrl(access.url);
  const timeRange = { _attributes: { start: stamp(span.from), end: stamp(span.to) } };
  const answers = await translated(href, () =>
    calendarQuery({
      url: href,
      props: { 'd:getetag': {}, 'c:calendar-data': {} },
      filters: {
        'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': { _attributes: { name: 'VEVENT' }, 'time-range': timeRange } },
      },
      depth: '1',
      fetch: boundedFetch(access),
    }),
  );
  const content: CalendarContent = { events: [], problems: [], problemCount: 0 };
  const budget = new ExpansionBudget();
  for (const answer of answers) {
    const { events, problems, problemCount } = readObject(dataOf(answer, href), span, budget);
    content.events.push(...events);
    content.problems.push(...problems.slice(0, Math.max(0, 20 - content.problems.length)));
    content.problemCount += problemCount;
  }
  content.events.sort(orderEvents);
  return content;
}

/** One damaged object must not hide the others; an object that is too much for a reading ends it. */
function readObject(text: string, span: CalendarSpan, budget: ExpansionBudget): CalendarContent {
  try {
    return readCalendar(text, span, budget);
  } catch (error) {
    if (!(error instanceof CalendarError) || error.code !== 'not_a_calendar') throw error;
    return { events: [], problems: [{ line: error.line, field: '', text: error.message }], problemCount: 1 };
  }
}

/** An answer that is no calendar must not look like a free one. */
function dataOf({ props }: DAVResponse, href: string): string {
  const data: unknown = props?.['calendarData'];
  const text: unknown = typeof data === 'object' && data !== null && '_cdata' in data ? data._cdata : data;
  if (typeof text !== 'string')
    throw new CalendarError('refused', `The answer from ${new URL(href).host} is not that of a CalDAV calendar. Check the address.`);
  return text;
}

const fileOf = (uid: string): string => {
  if (uid === '') throw new CalendarError('bad_input', 'An event needs a UID.');
  return `${encodeURIComponent(uid)}.ics`;
};

/** An event that is there already stays as it is. */
export async function addRemoteEvent(access: CalendarAccess, event: CalendarEvent, now: number): Promise<void> {
  const { href } = checkedUrl(access.url);
  const response = await translated(href, () =>
    createCalendarObject({
      calendar: { url: href },
      filename: fileOf(event.uid),
      iCalString: writeCalendar([event], now),
      fetch: boundedFetch(access),
    }),
  );
  const isThereAlready = response.status === 412;
  if (!response.ok && !isThereAlready) throw refusal(href, 'add', response);
}

/** An event that is gone already is removed. */
export async function removeRemoteEvent(access: CalendarAccess, uid: string): Promise<void> {
  const { href } = checkedUrl(access.url);
  const url = new URL(fileOf(uid), href.endsWith('/') ? href : `${href}/`).href;
  const response = await translated(href, () => deleteObject({ url, fetch: boundedFetch(access) }));
  const isGone = response.status === 404 || response.status === 410;
  if (!response.ok && !isGone) throw refusal(href, 'remove', response);
}

const refusal = (href: string, what: string, { status, statusText }: Response): CalendarError =>
  new CalendarError('refused', `${new URL(href).host} refused to ${what} the event: ${status} ${statusText}.`);

async function translated<T>(href: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CalendarError) throw error;
    const why = error instanceof Error ? error.message.split(' Raw response')[0]!.slice(0, 200) : String(error);
    throw new CalendarError('refused', `${new URL(href).host} could not be read as a CalDAV server: ${why}`);
  }
}

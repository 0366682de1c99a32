// A peer's own calendar and linked ones: in a peer's folder, `calendar.ics`, files, iCalendar addresses that need no password, and CalDAV servers.

import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BusyInterval } from '@parley/core';
import type { CalendarServer, OwnEvent, PersonalCalendar } from '../negotiate/personal-calendar.ts';
import { basicAuthorization, boundedFetch, type CalendarAccess } from './bounded-fetch.ts';
import { addRemoteEvent, readRemoteCalendar, removeRemoteEvent } from './caldav.ts';
import { CalendarError } from './problems.ts';
import { busyOf, type CalendarEvent, type CalendarSpan, readCalendar } from './read-calendar.ts';
import { writeCalendar } from './write-calendar.ts';
import { zoneOffsets } from './zones.ts';

/** Only whole lines begin and end an event: the same words can stand in a place or a title. */
const eventBlock = /^BEGIN:VEVENT\r?\n[\s\S]*?^END:VEVENT\r?\n/gm;
const isAddress = (link: string): boolean => /^https?:\/\//.test(link);

/** Where the texts of calendars are. */
export interface CalendarTexts {
  own(): Promise<string | undefined>;
  /** All of the new text or all of the old one, also after a crash. */
  replaceOwn(text: string): Promise<void>;
  linked(link: string): Promise<string>;
}

export function folderCalendar(folder: string): PersonalCalendar {
  const path = join(folder, 'calendar.ics');
  return textCalendar({ own: () => readOptional(path), replaceOwn: (text) => replaceFile(path, text), linked: readLinked }, fetch);
}

export const accessTo = ({ url, username, password }: CalendarServer, call: typeof fetch): CalendarAccess => ({
  url,
  authorization: basicAuthorization(username, password),
  fetch: call,
});

type Busy = Promise<{ busy: BusyInterval[] }>;

/** Reads when somebody is busy: here, or in another thread. */
export interface BusyReader {
  readText(text: string, span: CalendarSpan): Busy;
  readServer(server: CalendarServer, span: CalendarSpan): Busy;
}

const readHere = (call: typeof fetch): BusyReader => ({
  readText: async (text, span) => ({ busy: busyOf(readCalendar(text, span).events) }),
  readServer: async (server, span) => ({ busy: busyOf((await readRemoteCalendar(accessTo(server, call), span)).events) }),
});

/** `call` decides which addresses of servers it may call. */
export function textCalendar(texts: CalendarTexts, call: typeof fetch, reader = readHere(call)): PersonalCalendar {
  const change = async (uid: string, added: string): Promise<void> => {
    const text = (await texts.own()) ?? writeCalendar([], 0);
    const kept = text.replaceAll(eventBlock, (block) => (block.includes(`\nUID:${uid}\r\n`) ? '' : block));
    // A function: `$` in a peer's words stands for nothing.
    await texts.replaceOwn(kept.replace(/END:VCALENDAR\r?\n?$/, () => `${added}END:VCALENDAR\r\n`));
  };
  return {
    offsets: async (zone, { from, to }) => zoneOffsets(zone, from, to),
    busy: async (linked, { from, to }, zone, servers = []) => {
      const span = { from, to, zone };
      const own = await texts.own();
      const readings = [
        ...(own === undefined ? [] : [reader.readText(own, span)]),
        ...linked.map(async (link) => reader.readText(await texts.linked(link), span)),
        ...servers.map((server) => reader.readServer(server, span)),
      ];
      return (await Promise.all(readings)).flatMap((reading) => reading.busy);
    },
    add: async (event, now, [server] = []) => {
      if (server) await addRemoteEvent(accessTo(server, call), calendarEventOf(event), now);
      await change(event.uid, blockOf(event, now));
    },
    remove: async (uid, _now, [server] = []) => {
      await change(uid, '');
      if (server) await removeRemoteEvent(accessTo(server, call), uid);
    },
  };
}

const calendarEventOf = ({ uid, from, to, summary, place }: OwnEvent): CalendarEvent => ({
  uid,
  from,
  to,
  summary,
  ...(place === null ? {} : { place }),
  isBusy: true,
});

const blockOf = (event: OwnEvent, now: number): string => writeCalendar([calendarEventOf(event)], now).match(eventBlock)![0];

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The text of a linked calendar, which is one that can be read. */
export async function readLinked(link: string): Promise<string> {
  if (isAddress(link)) return fetchCalendar(link, fetch);
  const text = await readOptional(link);
  if (text === undefined) throw new CalendarError('bad_input', `There is no calendar at ${link}.`);
  return text;
}

/** `call` decides which addresses it may call. */
export async function fetchCalendar(url: string, call: typeof fetch): Promise<string> {
  const withoutPassword: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    return call(input, { ...init, headers });
  };
  const response = await boundedFetch({ url, authorization: '', fetch: withoutPassword })(url);
  if (!response.ok) throw new CalendarError('refused', `${new URL(url).host} answers ${response.status} for the calendar.`);
  return response.text();
}

/** All of the new text or all of the old one, also after a crash. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  let file: FileHandle | undefined;
  try {
    file = await open(draft, 'w', 0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file?.close();
  }
  await rename(draft, path);
}

// The thread that reads people's calendars. A calendar made to be slow holds up this thread, which is ended, and not the peers.

import { parentPort } from 'node:worker_threads';
import type { BusyInterval } from '@parley/core';
import { badInput } from '@parley/protocol';
import { accessTo, busyOf, CalendarError, type CalendarSpan, onlyCalendar, readCalendar, readRemoteCalendar } from '../calendar/index.ts';
import type { CalendarServer } from '../negotiate/personal-calendar.ts';
import { fetchThrough, type HubRequest, type HubResponse } from './hub-fetch.ts';
import { ThreadCalls } from './thread-calls.ts';

export interface CalendarReading {
  /** How many events are in the time, with those that are marked as free. */
  events: number;
  busy: BusyInterval[];
}

export type CalendarCalls = {
  /** Answered as soon as nothing is read. */
  ping(): Promise<null>;
  readText(text: string, span: CalendarSpan): Promise<CalendarReading>;
  readServer(server: CalendarServer, span: CalendarSpan): Promise<CalendarReading>;
  /** The address of the one calendar that the server has for the person. */
  findCalendar(server: CalendarServer): Promise<string>;
};

export type CalendarFetch = { fetch(request: HubRequest): Promise<HubResponse> };

const calls = new ThreadCalls<CalendarFetch>(parentPort!, {
  ping: async () => null,
  readText: (text: string, span: CalendarSpan) => refusable(async () => readingOf(readCalendar(text, span))),
  readServer: (server: CalendarServer, span: CalendarSpan) =>
    refusable(async () => readingOf(await readRemoteCalendar(accessTo(server, callThrough), span))),
  findCalendar: (server: CalendarServer) => refusable(async () => (await onlyCalendar(accessTo(server, callThrough))).url),
} satisfies CalendarCalls);

const callThrough = fetchThrough((request) => calls.call('fetch', request));

const readingOf = ({ events }: ReturnType<typeof readCalendar>): CalendarReading => ({ events: events.length, busy: busyOf(events) });

async function refusable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof CalendarError ? badInput(error.message) : error;
  }
}

// How many events the calendars of a peer in the registry have soon, or why one cannot be read.

import type { PeerProfile } from '@parley/protocol';
import { calendarName, shownSpan } from '../calls/calendars.ts';
import type { CalendarReader } from '../calls/context.ts';
import type { CalendarServer } from '../negotiate/personal-calendar.ts';
import type { ProfileRecord } from '../negotiate/records.ts';

type Views = PeerProfile['calendars'];

/** Each change of the profile shows them, and asks no server again. */
const keptMs = 60_000;

export class CalendarViews {
  readonly #reader: CalendarReader;
  readonly #now: () => number;
  /** `of`: of which calendars. */
  #kept: { of: string; at: number; views: Promise<Views> } | undefined;

  constructor(reader: CalendarReader, now: () => number) {
    this.#reader = reader;
    this.#now = now;
  }

  of({ calendars, servers = [] }: ProfileRecord): Promise<Views> {
    const now = this.#now();
    const of = JSON.stringify([calendars, servers]);
    if (this.#kept?.of === of && now - this.#kept.at < keptMs) return this.#kept.views;
    const views = this.#read(calendars, servers, now);
    this.#kept = { of, at: now, views };
    return views;
  }

  forget(): void {
    this.#kept = undefined;
  }

  async #read(calendars: readonly string[], servers: readonly CalendarServer[], now: number): Promise<Views> {
    const reader = this.#reader;
    const view = async (name: string, username: string | null, read: () => Promise<{ events: number }>): Promise<Views[number]> => {
      try {
        return { name, username, events: (await read()).events, problem: null };
      } catch (error) {
        return { name, username, events: null, problem: (error as Error).message };
      }
    };
    return Promise.all([
      ...calendars.map((link) => view(calendarName(link), null, async () => reader.readText(await reader.fetchText(link), shownSpan(now)))),
      ...servers.map((server) => view(server.url, server.username, () => reader.readServer(server, shownSpan(now)))),
    ]);
  }
}

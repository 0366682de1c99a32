// The calendars of a peer in the registry: texts in its sealed store, and addresses that the hub may call.

import { calendarName, isKept, keptKey, shownSpan } from '../calls/calendars.ts';
import type { PersonalCalendar, CalendarServer } from '../negotiate/personal-calendar.ts';
import { getRecord, getValue } from '../packets/peer-records.ts';
import type { PeerStore } from '../store/port.ts';
import type { CalendarThread } from './calendar-thread.ts';
import type { PeerProfile } from '@parley/protocol';
import type { CalendarReader } from '../calls/context.ts';
import type { ProfileRecord } from '../negotiate/negotiation-records.ts';

const ownKey = 'own';

export const ownCalendarText = async (store: PeerStore): Promise<string | undefined> => (await getValue(store, 'calendar', ownKey))?.ics;

/** Throws where there is none, or where its server does not give it. */
export async function linkedText(store: PeerStore, link: string, call: typeof fetch): Promise<string> {
  if (!isKept(link)) return (await import('../calendar/index.ts')).fetchCalendar(link, call);
  const name = calendarName(link);
  const kept = await getRecord(store, 'calendar', keptKey(name));
  if (!kept) throw new Error(`There is no calendar ${name} any more.`);
  return kept.value.ics;
}

/** The libraries for calendars are loaded when a negotiation needs them. */
export function storedCalendar(store: PeerStore, call: typeof fetch, thread: CalendarThread): PersonalCalendar {
  let loaded: Promise<PersonalCalendar> | undefined;
  const texts = {
    own: () => ownCalendarText(store),
    replaceOwn: (ics: string) => store.commit([{ put: 'calendar', key: ownKey, value: { ics } }]),
    linked: (link: string) => linkedText(store, link, call),
  };
  const load = (): Promise<PersonalCalendar> =>
    (loaded ??= import('../calendar/index.ts').then(({ textCalendar }) => textCalendar(texts, call, thread)));
  return {
    offsets: async (...args) => (await load()).offsets(...args),
    busy: async (...args) => (await load()).busy(...args),
    add: async (...args) => (await load()).add(...args),
    remove: async (...args) => (await load()).remove(...args),
  };
}

// How many events the calendars of a peer in the registry have soon, or why one cannot be read.

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

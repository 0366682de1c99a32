// The calendars of a peer in the registry: texts in its sealed store, and addresses that the hub may call.

import type { BusyReader } from '../calendar/index.ts';
import { calendarName, isKept, keptKey } from '../calls/calendars.ts';
import type { PersonalCalendar } from '../negotiate/personal-calendar.ts';
import { getRecord } from '../packets/records.ts';
import type { PeerStore } from '../store/port.ts';
import type { CalendarThread } from './calendar-thread.ts';

const ownKey = 'own';

export const ownCalendarText = async (store: PeerStore): Promise<string | undefined> =>
  (await getRecord(store, 'calendar', ownKey))?.value.ics;

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
  const busyTimes: BusyReader = {
    inText: async (ics, span) => (await thread.readText(ics, span)).busy,
    onServer: async (server, span) => (await thread.readServer(server, span)).busy,
  };
  const load = (): Promise<PersonalCalendar> =>
    (loaded ??= import('../calendar/index.ts').then(({ textCalendar }) => textCalendar(texts, call, busyTimes)));
  return {
    offsets: async (...args) => (await load()).offsets(...args),
    busy: async (...args) => (await load()).busy(...args),
    add: async (...args) => (await load()).add(...args),
    remove: async (...args) => (await load()).remove(...args),
  };
}

// Calendars that a person gives to their peer in the house, and the one that the peer writes.

import type { AddCalendar, PeerProfile } from '@parley/protocol';
import { type CalendarServer, withServer } from '../negotiate/personal-calendar.ts';
import { type ProfileRecord, putProfile } from '../negotiate/records.ts';
import { PeerError } from '../peer/errors.ts';
import type { RecordChange } from '../store/port.ts';
import type { Resident } from './resident.ts';
import { calendarName, keptKey, keptLink, linkedText, ownCalendarText } from './stored-calendar.ts';

const shownMs = 28 * 86_400_000;
const mostCalendars = 20;

const shownSpan = (now: number) => ({ from: now, to: now + shownMs, zone: 'UTC' });

async function eventsIn(ics: string, now: number): Promise<number> {
  const { readCalendar } = await import('../calendar/index.ts');
  return readCalendar(ics, shownSpan(now)).events.length;
}

async function eventsOn(server: CalendarServer, { fetch, options }: Resident): Promise<number> {
  const { accessTo, readRemoteCalendar } = await import('../calendar/index.ts');
  return (await readRemoteCalendar(accessTo(server, fetch), shownSpan(options.now()))).events.length;
}

/** Events of the next four weeks, or why the calendar cannot be read. */
export async function calendarViews(resident: Resident, { calendars, servers = [] }: ProfileRecord): Promise<PeerProfile['calendars']> {
  const { store, options, fetch } = resident;
  const views: PeerProfile['calendars'] = [];
  const view = async (name: string, username: string | null, count: () => Promise<number>): Promise<void> => {
    try {
      views.push({ name, username, events: await count(), problem: null });
    } catch (error) {
      views.push({ name, username, events: null, problem: (error as Error).message });
    }
  };
  for (const link of calendars)
    await view(calendarName(link), null, async () => eventsIn(await linkedText(store, link, fetch), options.now()));
  for (const server of servers) await view(server.url, server.username, () => eventsOn(server, resident));
  return views;
}

/** Only one that can be read now. */
export async function addCalendar(resident: Resident, calendar: AddCalendar): Promise<void> {
  const { options, fetch } = resident;
  if (calendar.kind === 'file') {
    const { name, ics } = calendar;
    await eventsIn(ics, options.now());
    return addLink(resident, keptLink(name), [{ put: 'calendar', key: keptKey(name), value: { ics } }]);
  }
  const { url, username = '', password = '' } = calendar;
  if (username !== '' || password !== '') return addServer(resident, { url, username, password });
  const { fetchCalendar } = await import('../calendar/index.ts');
  await eventsIn(await fetchCalendar(url, fetch), options.now());
  await addLink(resident, url, []);
}

/** The password stays in the peer's sealed store. */
async function addServer(resident: Resident, given: CalendarServer): Promise<void> {
  if (given.username === '' || given.password === '')
    throw new PeerError('bad_input', 'A calendar with a password needs both the user name and the password. Give both, or neither.');
  const { accessTo, onlyCalendar } = await import('../calendar/index.ts');
  const server = { ...given, url: (await onlyCalendar(accessTo(given, resident.fetch))).url };
  await eventsOn(server, resident);
  await changeCalendars(resident, ({ calendars, servers, ...profile }) => ({
    ...profile,
    calendars: calendars.filter((link) => link !== server.url),
    servers: withServer(servers, server),
  }));
}

const addLink = (resident: Resident, link: string, changes: RecordChange[]): Promise<void> =>
  changeCalendars(
    resident,
    ({ servers = [], ...profile }) => ({
      ...profile,
      calendars: [...new Set([...profile.calendars, link])],
      servers: servers.filter(({ url }) => url !== link),
    }),
    changes,
  );

export async function removeCalendar(resident: Resident, name: string): Promise<void> {
  await changeCalendars(
    resident,
    ({ servers = [], ...profile }) => {
      const calendars = profile.calendars.filter((link) => calendarName(link) !== name);
      const others = servers.filter(({ url }) => url !== name);
      if (calendars.length + others.length === profile.calendars.length + servers.length)
        throw new PeerError('unknown_id', `You have no calendar ${name}.`);
      return { ...profile, calendars, servers: others };
    },
    [{ remove: 'calendar', key: keptKey(name) }],
  );
}

const changeCalendars = (
  { peer, negotiations, store }: Resident,
  change: (profile: ProfileRecord) => ProfileRecord,
  changes: RecordChange[] = [],
): Promise<void> =>
  peer.inTurn(async () => {
    const profile = change(await negotiations.profile());
    if (profile.calendars.length + (profile.servers?.length ?? 0) > mostCalendars)
      throw new PeerError('bad_input', `You have ${mostCalendars} calendars already. Remove one before you add another.`);
    await store.commit([...changes, putProfile(profile)]);
  });

/** As an iCalendar text, also where nothing is in it yet. */
export async function ownCalendar(resident: Resident | undefined): Promise<string> {
  const { writeCalendar } = await import('../calendar/index.ts');
  return (resident && (await ownCalendarText(resident.store))) ?? writeCalendar([], 0);
}

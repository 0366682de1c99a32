// Calendars that a person gives to their peer in the registry, and the one that the peer writes.

import type { AddCalendar, PeerProfile } from '@parley/protocol';
import { type CalendarServer, withServer } from '../negotiate/personal-calendar.ts';
import { type ProfileRecord, putProfile } from '../negotiate/records.ts';
import { PeerError } from '../packets/errors.ts';
import type { RecordChange } from '../store/port.ts';
import type { HostedPeer } from './hosted-peer.ts';
import { calendarName, keptKey, keptLink, linkedText, ownCalendarText } from './stored-calendar.ts';

const shownMs = 28 * 86_400_000;
const mostCalendars = 20;

const shownSpan = (now: number) => ({ from: now, to: now + shownMs, zone: 'UTC' });

/** Events of the next four weeks. */
const eventsIn = async ({ options }: HostedPeer, ics: string): Promise<number> =>
  (await options.calendars.readText(ics, shownSpan(options.now()))).events;

const eventsOn = async ({ options }: HostedPeer, server: CalendarServer): Promise<number> =>
  (await options.calendars.readServer(server, shownSpan(options.now()))).events;

interface KeptViews {
  /** Of which calendars. */
  of: string;
  at: number;
  views: Promise<PeerProfile['calendars']>;
}

/** Each change of the profile shows it, and asks no server again. */
const viewsMs = 60_000;
const keptViews = new WeakMap<HostedPeer, KeptViews>();

/** Events of the next four weeks, or why the calendar cannot be read. */
export function calendarViews(hosted: HostedPeer, { calendars, servers = [] }: ProfileRecord): Promise<PeerProfile['calendars']> {
  const now = hosted.options.now();
  const of = JSON.stringify([calendars, servers]);
  const known = keptViews.get(hosted);
  if (known?.of === of && now - known.at < viewsMs) return known.views;
  const views = readViews(hosted, calendars, servers);
  keptViews.set(hosted, { of, at: now, views });
  return views;
}

async function readViews(hosted: HostedPeer, calendars: readonly string[], servers: readonly CalendarServer[]) {
  const { store, fetch } = hosted;
  const view = async (name: string, username: string | null, count: () => Promise<number>): Promise<PeerProfile['calendars'][number]> => {
    try {
      return { name, username, events: await count(), problem: null };
    } catch (error) {
      return { name, username, events: null, problem: (error as Error).message };
    }
  };
  return Promise.all([
    ...calendars.map((link) => view(calendarName(link), null, async () => eventsIn(hosted, await linkedText(store, link, fetch)))),
    ...servers.map((server) => view(server.url, server.username, () => eventsOn(hosted, server))),
  ]);
}

/** Only one that can be read now. */
export async function addCalendar(hosted: HostedPeer, calendar: AddCalendar): Promise<void> {
  if (calendar.kind === 'file') {
    const { name, ics } = calendar;
    await eventsIn(hosted, ics);
    return addLink(hosted, keptLink(name), [{ put: 'calendar', key: keptKey(name), value: { ics } }]);
  }
  const { url, username = '', password = '' } = calendar;
  if (username !== '' || password !== '') return addServer(hosted, { url, username, password });
  const { fetchCalendar } = await import('../calendar/index.ts');
  await eventsIn(hosted, await fetchCalendar(url, hosted.fetch));
  await addLink(hosted, url, []);
}

/** The password stays in the peer's sealed store. */
async function addServer(hosted: HostedPeer, given: CalendarServer): Promise<void> {
  if (given.username === '' || given.password === '')
    throw new PeerError('bad_input', 'A calendar with a password needs both the user name and the password. Give both, or neither.');
  const server = { ...given, url: await hosted.options.calendars.findCalendar(given) };
  await eventsOn(hosted, server);
  await changeCalendars(hosted, ({ calendars, servers, ...profile }) => ({
    ...profile,
    calendars: calendars.filter((link) => link !== server.url),
    servers: withServer(servers, server),
  }));
}

const addLink = (hosted: HostedPeer, link: string, changes: RecordChange[]): Promise<void> =>
  changeCalendars(
    hosted,
    ({ servers = [], ...profile }) => ({
      ...profile,
      calendars: [...new Set([...profile.calendars, link])],
      servers: servers.filter(({ url }) => url !== link),
    }),
    changes,
  );

export async function removeCalendar(hosted: HostedPeer, name: string): Promise<void> {
  await changeCalendars(
    hosted,
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

function changeCalendars(
  hosted: HostedPeer,
  change: (profile: ProfileRecord) => ProfileRecord,
  changes: RecordChange[] = [],
): Promise<void> {
  const { peer, negotiations, store } = hosted;
  return peer.inTurn(async () => {
    const profile = change(await negotiations.profile());
    if (profile.calendars.length + (profile.servers?.length ?? 0) > mostCalendars)
      throw new PeerError('bad_input', `You have ${mostCalendars} calendars already. Remove one before you add another.`);
    await store.commit([...changes, putProfile(profile)]);
    keptViews.delete(hosted);
  });
}

/** As an iCalendar text, also where nothing is in it yet. */
export async function ownCalendar(hosted: HostedPeer | undefined): Promise<string> {
  const { writeCalendar } = await import('../calendar/index.ts');
  return (hosted && (await ownCalendarText(hosted.store))) ?? writeCalendar([], 0);
}

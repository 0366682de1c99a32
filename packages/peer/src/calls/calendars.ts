// Calendars that a person gives to their peer: texts that it keeps, files and addresses that it reads, and CalDAV servers.

import { badInput, type AddCalendar, PeerCallError } from '@parley/protocol';
import type { CalendarSpan } from '../calendar/read-calendar.ts';
import { type CalendarServer, withServer } from '../negotiate/personal-calendar.ts';
import { type ProfileRecord, putProfile } from '../negotiate/negotiation-records.ts';
import type { RecordChange } from '../store/port.ts';
import type { OpenPeer } from './context.ts';

const shownMs = 28 * 86_400_000;
const mostCalendars = 20;

/** The next four weeks. */
export const shownSpan = (now: number): CalendarSpan => ({ from: now, to: now + shownMs, zone: 'UTC' });

const keptPrefix = 'kept:';
export const isKept = (link: string): boolean => link.startsWith(keptPrefix);
const keptLink = (name: string): string => `${keptPrefix}${name}`;
export const calendarName = (link: string): string => (isKept(link) ? link.slice(keptPrefix.length) : link);
/** A dropped calendar may have the name `own`. */
export const keptKey = (name: string): string => `given/${name}`;

export interface AddedCalendar {
  name: string;
  /** Of the next four weeks. */
  events: number;
}

/** Only one that can be read now. */
export async function addCalendar(open: OpenPeer, calendar: AddCalendar): Promise<AddedCalendar> {
  if (calendar.kind === 'file') {
    const { name, ics } = calendar;
    const { events } = await open.calendars.readText(ics, shownSpan(open.negotiations.now));
    await addLink(open, keptLink(name), [{ put: 'calendar', key: keptKey(name), value: { ics } }]);
    return { name, events };
  }
  const { url, username = '', password = '' } = calendar;
  return username === '' && password === '' ? linkCalendar(open, url) : addServer(open, { url, username, password });
}

/** A file or an address that is read each time. */
export async function linkCalendar(open: OpenPeer, link: string): Promise<AddedCalendar> {
  const { events } = await open.calendars.readText(await open.calendars.fetchText(link), shownSpan(open.negotiations.now));
  await addLink(open, link, []);
  return { name: link, events };
}

/** The password stays in the peer's sealed store. */
async function addServer(open: OpenPeer, given: CalendarServer): Promise<AddedCalendar> {
  if (given.username === '' || given.password === '')
    throw badInput('A calendar with a password needs both the user name and the password. Give both, or neither.');
  const server = { ...given, url: await open.calendars.findCalendar(given) };
  const { events } = await open.calendars.readServer(server, shownSpan(open.negotiations.now));
  await changeCalendars(open, ({ calendars, servers, ...profile }) => ({
    ...profile,
    calendars: calendars.filter((link) => link !== server.url),
    servers: withServer(servers, server),
  }));
  return { name: server.url, events };
}

const addLink = (open: OpenPeer, link: string, changes: RecordChange[]): Promise<void> =>
  changeCalendars(
    open,
    ({ servers = [], ...profile }) => ({
      ...profile,
      calendars: [...new Set([...profile.calendars, link])],
      servers: servers.filter(({ url }) => url !== link),
    }),
    changes,
  );

export async function removeCalendar(open: OpenPeer, name: string): Promise<void> {
  await changeCalendars(
    open,
    ({ servers = [], ...profile }) => {
      const known = [...profile.calendars.map(calendarName), ...servers.map(({ url }) => url)];
      if (!known.includes(name))
        throw new PeerCallError(
          'unknown_id',
          `You have no calendar ${name}. ${known.length === 0 ? 'There is none yet' : `There are: ${known.join(', ')}`}.`,
        );
      return {
        ...profile,
        calendars: profile.calendars.filter((link) => calendarName(link) !== name),
        servers: servers.filter(({ url }) => url !== name),
      };
    },
    [{ remove: 'calendar', key: keptKey(name) }],
  );
}

function changeCalendars(open: OpenPeer, change: (profile: ProfileRecord) => ProfileRecord, changes: RecordChange[] = []): Promise<void> {
  const { peer, negotiations, store } = open;
  return peer.inTurn(async () => {
    const profile = change(await negotiations.profile());
    if (profile.calendars.length + (profile.servers?.length ?? 0) > mostCalendars)
      throw badInput(`You have ${mostCalendars} calendars already. Remove one before you add another.`);
    await store.commit([...changes, putProfile(profile)]);
    open.calendarsChanged?.();
  });
}

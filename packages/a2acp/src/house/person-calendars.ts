// Calendars that a person gives to their peer in the house, and the one that the peer writes.

import type { AddCalendar, PeerProfile } from '@parley/protocol';
import { type ProfileRecord, putProfile } from '../negotiate/records.ts';
import { PeerError } from '../peer/errors.ts';
import type { RecordChange } from '../store/port.ts';
import type { Resident } from './resident.ts';
import { calendarName, keptKey, keptLink, linkedText, ownCalendarText } from './stored-calendar.ts';

const shownMs = 28 * 86_400_000;
const mostCalendars = 20;

async function eventsIn(ics: string, now: number): Promise<number> {
  const { readCalendar } = await import('../calendar/index.ts');
  return readCalendar(ics, { from: now, to: now + shownMs, zone: 'UTC' }).events.length;
}

/** Events of the next four weeks, or why the calendar cannot be read. */
export async function calendarViews({ store, options }: Resident, { calendars }: ProfileRecord): Promise<PeerProfile['calendars']> {
  const views: PeerProfile['calendars'] = [];
  for (const link of calendars) {
    const name = calendarName(link);
    try {
      const events = await eventsIn(await linkedText(store, link, options.hub.fetchCalendar), options.now());
      views.push({ name, events, problem: null });
    } catch (error) {
      views.push({ name, events: null, problem: (error as Error).message });
    }
  }
  return views;
}

/** Only one that can be read now. */
export async function addCalendar(resident: Resident, calendar: AddCalendar): Promise<void> {
  const { options } = resident;
  if (calendar.kind === 'url' && (calendar.username !== undefined || calendar.password !== undefined))
    throw new PeerError('bad_input', 'This hub reads no calendars with a password yet. Export the calendar as a file, and add that.');
  const ics = calendar.kind === 'file' ? calendar.ics : await options.hub.fetchCalendar(calendar.url);
  await eventsIn(ics, options.now());
  if (calendar.kind === 'url') return changeLinks(resident, (links) => [...links, calendar.url], []);
  const kept: RecordChange = { put: 'calendar', key: keptKey(calendar.name), value: { ics } };
  await changeLinks(resident, (links) => [...links, keptLink(calendar.name)], [kept]);
}

export async function removeCalendar(resident: Resident, name: string): Promise<void> {
  await changeLinks(
    resident,
    (links) => {
      if (!links.some((link) => calendarName(link) === name)) throw new PeerError('unknown_id', `You have no calendar ${name}.`);
      return links.filter((link) => calendarName(link) !== name);
    },
    [{ remove: 'calendar', key: keptKey(name) }],
  );
}

const changeLinks = (
  { peer, negotiations, store }: Resident,
  change: (links: string[]) => string[],
  changes: RecordChange[],
): Promise<void> =>
  peer.inTurn(async () => {
    const profile = await negotiations.profile();
    const calendars = [...new Set(change(profile.calendars))];
    if (calendars.length > mostCalendars)
      throw new PeerError('bad_input', `You have ${mostCalendars} calendars already. Remove one before you add another.`);
    await store.commit([...changes, putProfile({ ...profile, calendars })]);
  });

/** As an iCalendar text, also where nothing is in it yet. */
export async function ownCalendar(resident: Resident | undefined): Promise<string> {
  const { writeCalendar } = await import('../calendar/index.ts');
  return (resident && (await ownCalendarText(resident.store))) ?? writeCalendar([], 0);
}

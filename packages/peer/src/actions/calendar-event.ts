// The action `add_calendar_event`: the agreed time, in the person's own calendar.

import type { CalendarServer, PersonalCalendar } from '../negotiate/personal-calendar.ts';
import { eventTitle, type NameOf } from './event-title.ts';
import { type ActionHandler, ActionRefused } from './port.ts';

export const calendarEvent = (calendar: PersonalCalendar, servers: readonly CalendarServer[], nameOf?: NameOf): ActionHandler => ({
  isRemote: servers.length > 0,
  run: async (call) => {
    const { key, details, now } = call;
    const { start, end, location } = details;
    const [from, to] = [start, end].map((time) => (typeof time === 'string' ? Date.parse(time) : NaN)) as [number, number];
    if (!(to > from)) throw new ActionRefused('The proposal names no start and end');
    const summary = eventTitle(call, nameOf);
    await calendar.add({ uid: key, from, to, summary, place: typeof location === 'string' ? location : null }, now, servers);
  },
  undo: ({ key, now }) => calendar.remove(key, now, servers),
});

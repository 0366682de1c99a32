// The action `add_calendar_event`: the agreed time, in the person's own calendar.

import type { CalendarServer, PersonalCalendar } from '../negotiate/personal-calendar.ts';
import { type ActionHandler, ActionRefused } from './port.ts';

export const calendarEvent = (calendar: PersonalCalendar, servers: readonly CalendarServer[]): ActionHandler => ({
  run: async ({ key, summary, details, now }) => {
    const { start, end, location } = details;
    const [from, to] = [start, end].map((time) => (typeof time === 'string' ? Date.parse(time) : NaN)) as [number, number];
    if (!(to > from)) throw new ActionRefused('The proposal names no start and end');
    await calendar.add({ uid: key, from, to, summary, place: typeof location === 'string' ? location : null }, now, servers);
  },
  undo: ({ key, now }) => calendar.remove(key, now, servers),
});

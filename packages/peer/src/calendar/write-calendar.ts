// Events as an iCalendar file. Times are written in UTC, so that no reader needs a time zone to understand them.

import { toOneLine } from '@parley/protocol';
import ICAL from 'ical.js';
import type { CalendarEvent } from './read-calendar.ts';

const stamp = (time: number): ICAL.Time => ICAL.Time.fromJSDate(new Date(Math.floor(time / 1000) * 1000), true);

/** `now` becomes the DTSTAMP of each event. */
export function writeCalendar(events: readonly CalendarEvent[], now: number): string {
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//Parley//Calendar//EN');
  for (const { uid, from, to, dates, summary, place, isBusy } of events) {
    const event = new ICAL.Component('vevent');
    event.addPropertyWithValue('uid', uid);
    event.addPropertyWithValue('dtstamp', stamp(now));
    event.addPropertyWithValue('dtstart', dates ? ICAL.Time.fromDateString(dates.from) : stamp(from));
    event.addPropertyWithValue('dtend', dates ? ICAL.Time.fromDateString(dates.to) : stamp(to));
    // A line feed is the only line end that the library escapes, and other programs know more of them.
    if (summary !== undefined) event.addPropertyWithValue('summary', toOneLine(summary));
    if (place !== undefined) event.addPropertyWithValue('location', toOneLine(place));
    if (!isBusy) event.addPropertyWithValue('transp', 'TRANSPARENT');
    calendar.addSubcomponent(event);
  }
  return `${calendar.toString()}\r\n`;
}

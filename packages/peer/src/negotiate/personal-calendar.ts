// A person's calendars, as a peer needs them: when the person is busy, and one calendar of its own to write to.

import type { BusyInterval, ZoneOffset } from '@parley/core';
import type { TimeWindow } from './meetings/local-time.ts';

export interface OwnEvent {
  uid: string;
  from: number;
  to: number;
  summary: string;
  place: string | null;
}

/** A calendar on a CalDAV server. */
export interface CalendarServer {
  url: string;
  username: string;
  password: string;
}

/** A new password leaves the calendar in its place: the peer writes to the first one. */
export function withServer(servers: readonly CalendarServer[] = [], { url, username, password }: CalendarServer): CalendarServer[] {
  const added = { url, username, password };
  const isKnown = servers.some((one) => one.url === url);
  return isKnown ? servers.map((one) => (one.url === url ? added : one)) : [...servers, added];
}

export interface PersonalCalendar {
  /** Undefined for a zone that nobody knows. */
  offsets(zone: string, span: TimeWindow): Promise<readonly ZoneOffset[] | undefined>;
  /** In the peer's own calendar and in the linked ones. Throws where one cannot be read. */
  busy(linked: readonly string[], span: TimeWindow, zone: string, servers?: readonly CalendarServer[]): Promise<BusyInterval[]>;
  /** In the peer's own calendar and on the first server. The same event twice is one event. */
  add(event: OwnEvent, now: number, servers?: readonly CalendarServer[]): Promise<void>;
  remove(uid: string, now: number, servers?: readonly CalendarServer[]): Promise<void>;
}

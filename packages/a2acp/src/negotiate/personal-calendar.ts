// A person's calendars, as a peer needs them: when the person is busy, and one calendar of its own to write to.

import type { BusyInterval, ZoneOffset } from '@parley/core';
import type { TimeWindow } from './local-time.ts';

export interface OwnEvent {
  uid: string;
  from: number;
  to: number;
  summary: string;
  place: string | null;
}

export interface PersonalCalendar {
  /** Undefined for a zone that nobody knows. */
  offsets(zone: string, span: TimeWindow): Promise<readonly ZoneOffset[] | undefined>;
  /** In the peer's own calendar and in the linked ones. Throws where one cannot be read. */
  busy(linked: readonly string[], span: TimeWindow, zone: string): Promise<BusyInterval[]>;
  /** The same event twice is one event. */
  add(event: OwnEvent, now: number): Promise<void>;
  remove(uid: string, now: number): Promise<void>;
}

// What a search for a common time gets, and what it answers. Times are milliseconds since 1970 in UTC; local times are minutes of a day.
// Zones come as offsets, so that the search needs no time-zone data of its own.

/** The seed's words: a preference that is not flexible is a condition. */
export type Flexibility = 'not_flexible' | 'somewhat_flexible' | 'flexible';

export interface ZoneOffset {
  /** The offset applies from this time on. The first one applies before it too. */
  from: number;
  /** Local time is UTC plus these minutes. */
  minutes: number;
}

/** Minutes of a local day. A range that ends at or before its start goes on after midnight. */
export interface DayRange {
  from: number;
  to: number;
}

export interface BusyInterval {
  from: number;
  to: number;
  /** Where an event takes the person; absent for calls and for anything at home. */
  place?: string | undefined;
}

export interface MeetingParticipant {
  id: string;
  /** In the order of time. */
  offsets: readonly ZoneOffset[];
  busy: readonly BusyInterval[];
  /** Allowed hours from Monday to Sunday; 9–22 on each day if absent. */
  hours?: readonly (readonly DayRange[])[] | undefined;
  /** Wished local dates, such as 2026-03-27. They come before wished weekdays. */
  dates?: readonly string[] | undefined;
  /** Wished weekdays: 0 is Monday. */
  weekdays?: readonly number[] | undefined;
  /** Wished times of day. */
  times?: readonly DayRange[] | undefined;
  /** Wished formats, by name. */
  formats?: readonly string[] | undefined;
  /** Times when the person is on the way: no meeting in person can be then. */
  travel?: readonly BusyInterval[] | undefined;
  /** The time between a meeting in person and an event at another place. */
  travelMinutes?: number | undefined;
  flexibility?: { date?: Flexibility | undefined; time?: Flexibility | undefined; format?: Flexibility | undefined } | undefined;
}

export interface MeetingFormat {
  name: string;
  minutes: number;
  inPerson: boolean;
  place?: string | undefined;
  /** When it can be, in everybody's local time: dinner is dinner for both. */
  hours?: DayRange | undefined;
}

export interface MeetingRequest {
  from: number;
  to: number;
  /** The first participant's local time decides which starts are round, and what a day is. */
  participants: readonly MeetingParticipant[];
  /** What was asked for, then what would do instead. */
  formats: readonly MeetingFormat[];
}

/** The cheapest to give up first: so ties between relaxations are decided. */
export const constraintKinds = ['format', 'time', 'date', 'travel', 'hours', 'busy'] as const;
export type ConstraintKind = (typeof constraintKinds)[number];

export interface MeetingConstraint {
  who: string;
  kind: ConstraintKind;
}

/** A wish that a window keeps or does not keep. */
export interface WindowReason {
  who: string;
  wish: 'date' | 'time' | 'format';
  isKept: boolean;
}

export interface MeetingWindow {
  from: number;
  to: number;
  format: string;
  /** From 0 to 100; 100 keeps every wish, at once, on the hour. */
  score: number;
  reasons: WindowReason[];
}

export interface Relaxation {
  /** All of them have to give way together. */
  constraints: MeetingConstraint[];
  /** Starts that become possible. */
  starts: number;
  best: MeetingWindow;
}

export interface MeetingOptions {
  /** The best first; no two overlap. */
  windows: MeetingWindow[];
  /** Possible starts, in any format. */
  starts: number;
  /** Those that keep every wish, in the format that was asked for. */
  startsAsAsked: number;
  /** The most useful first. The first one is the binding constraint. */
  relaxations: Relaxation[];
}

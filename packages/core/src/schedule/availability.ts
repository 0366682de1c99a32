// The quarter-hours that each condition and each wish of a person leaves open.

import { addRange, type Bits, bitsWithout, emptyBits, retainBits, runsOf } from './bits.ts';
import type {
  BusyInterval,
  DayRange,
  Flexibility,
  MeetingFormat,
  MeetingParticipant,
  ZoneOffset,
  MeetingConstraint,
  WindowReason,
} from './meeting.ts';

const minute = 60_000;
export const quarter = 15 * minute;
const minutesOfDay = 1440;

export interface Horizon {
  from: number;
  quarters: number;
}

/** Rounds inwards: a quarter-hour that has begun is no part of it. */
export function horizonOf(from: number, to: number): Horizon {
  const start = Math.ceil(from / quarter) * quarter;
  return { from: start, quarters: Math.max(0, Math.floor((to - start) / quarter)) };
}

const defaultHours: readonly (readonly DayRange[])[] = Array.from({ length: 7 }, () => [{ from: 9 * 60, to: 22 * 60 }]);

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

/** Of a date such as 2026-03-27, since 1970-01-01. */
export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / (minutesOfDay * minute);

export function offsetAt(offsets: readonly ZoneOffset[], time: number): number {
  return (offsets.findLast(({ from }) => from <= time) ?? offsets[0])?.minutes ?? 0;
}

/** Adds the ranges that a local day, counted from 1970-01-01, has, where the clock shows them. */
function addDays(bits: Bits, horizon: Horizon, offsets: readonly ZoneOffset[], rangesOf: (day: number) => readonly DayRange[]): void {
  const end = horizon.from + horizon.quarters * quarter;
  const changes = offsets.filter(({ from }) => from > horizon.from && from < end);
  const borders = [horizon.from, ...changes.map(({ from }) => from), end];
  for (let at = 0; at + 1 < borders.length; at++) {
    const [from, to] = [borders[at]!, borders[at + 1]!];
    const shift = offsetAt(offsets, from) * minute;
    const dayLength = minutesOfDay * minute;
    // A range that goes on after midnight may have begun on the day before.
    for (let day = Math.floor((from + shift) / dayLength) - 1; day * dayLength - shift < to; day++) {
      for (const range of rangesOf(day)) {
        const midnight = day * dayLength - shift;
        const ends = range.to > range.from ? range.to : range.to + minutesOfDay;
        const [first, last] = [Math.max(from, midnight + range.from * minute), Math.min(to, midnight + ends * minute)];
        addRange(bits, Math.ceil((first - horizon.from) / quarter), Math.floor((last - horizon.from) / quarter));
      }
    }
  }
}

function daysMask(horizon: Horizon, offsets: readonly ZoneOffset[], rangesOf: (day: number) => readonly DayRange[]): Bits {
  const bits = emptyBits(horizon.quarters);
  addDays(bits, horizon, offsets, rangesOf);
  return bits;
}

/** Every quarter-hour that is touched counts. */
function freeMask(horizon: Horizon, busy: readonly BusyInterval[]): Bits {
  const taken = emptyBits(horizon.quarters);
  for (const { from, to } of busy) {
    if (!(to > from)) continue;
    const first = Math.max(0, Math.floor((from - horizon.from) / quarter));
    const last = Math.min(horizon.quarters, Math.ceil((to - horizon.from) / quarter));
    addRange(taken, first, last);
  }
  return bitsWithout(allQuarters(horizon), taken);
}

function allQuarters({ quarters }: Horizon): Bits {
  const bits = emptyBits(quarters);
  addRange(bits, 0, quarters);
  return bits;
}

const wholeDay: readonly DayRange[] = [{ from: 0, to: minutesOfDay }];

export interface Wish {
  kind: 'date' | 'time';
  flexibility: Flexibility;
  bits: Bits;
}

/** Masks that are the same for every format. */
export interface Availability {
  participant: MeetingParticipant;
  hours: Bits;
  free: Bits;
  wishes: Wish[];
}

export function availabilityOf(participant: MeetingParticipant, horizon: Horizon): Availability {
  const { offsets, hours = defaultHours, dates, weekdays, times, flexibility } = participant;
  const wishes: Wish[] = [];
  if (dates !== undefined || weekdays !== undefined) {
    const days = dates && new Set(dates.map(dayNumber));
    const isWished = (day: number): boolean => (days ? days.has(day) : weekdays!.includes(weekdayOf(day)));
    const bits = daysMask(horizon, offsets, (day) => (isWished(day) ? wholeDay : []));
    wishes.push({ kind: 'date', flexibility: flexibility?.date ?? 'somewhat_flexible', bits });
  }
  if (times !== undefined) {
    wishes.push({ kind: 'time', flexibility: flexibility?.time ?? 'somewhat_flexible', bits: daysMask(horizon, offsets, () => times) });
  }
  return {
    participant,
    hours: daysMask(horizon, offsets, (day) => hours[weekdayOf(day)] ?? []),
    free: freeMask(horizon, participant.busy),
    wishes,
  };
}

const placeName = (place: string | undefined): string => (place ?? '').trim().toLowerCase();

/** What a meeting in person leaves open around events at other places; absent where there is nowhere to travel from. */
function travelMask(participant: MeetingParticipant, format: MeetingFormat, horizon: Horizon): Bits | undefined {
  const { busy, travelMinutes = 0, travel = [] } = participant;
  if (!format.inPerson) return undefined;
  // Nobody travels to an event without a length.
  const isElsewhere = ({ from, to, place }: BusyInterval): boolean =>
    to > from && placeName(place) !== '' && placeName(place) !== placeName(format.place);
  const margin = travelMinutes * minute;
  const around = margin > 0 ? busy.filter(isElsewhere).map(({ from, to }) => ({ from: from - margin, to: to + margin })) : [];
  const away = [...travel, ...around];
  return away.length === 0 ? undefined : freeMask(horizon, away);
}

/** When the format can be, by this person's clock; absent if it can be at any time. */
function formatMask({ offsets }: MeetingParticipant, { hours }: MeetingFormat, horizon: Horizon): Bits | undefined {
  return hours && daysMask(horizon, offsets, () => [hours]);
}

// One format's plan: at which starts every condition holds, and which wishes a start keeps.

export interface PlannedConstraint extends MeetingConstraint {
  /** The starts that it allows. */
  starts: Bits;
}

export interface PlannedWish {
  who: string;
  wish: WindowReason['wish'];
  weight: number;
  /** The starts that keep it. */
  starts: Bits;
}

export interface FormatPlan {
  format: MeetingFormat;
  /** How many formats were rather wanted. */
  rank: number;
  quarters: number;
  /** The starts from which the meeting fits into the horizon. */
  fitting: Bits;
  /** The starts that every constraint allows. */
  possible: Bits;
  constraints: PlannedConstraint[];
  wishes: PlannedWish[];
}

type SoftFlexibility = Exclude<Flexibility, 'not_flexible'>;
const weights: Record<WindowReason['wish'], Record<SoftFlexibility, number>> = {
  date: { somewhat_flexible: 40, flexible: 10 },
  time: { somewhat_flexible: 30, flexible: 8 },
  format: { somewhat_flexible: 30, flexible: 8 },
};

export function planFormat(format: MeetingFormat, rank: number, people: readonly Availability[], horizon: Horizon): FormatPlan {
  const quarters = Math.ceil((format.minutes * 60_000) / quarter);
  const all = allQuarters(horizon);
  const fitting = runsOf(all, quarters);
  const never = all.map(() => 0);
  const constraints: PlannedConstraint[] = [];
  const wishes: PlannedWish[] = [];
  for (const { participant, hours, free, wishes: wished } of people) {
    const who = participant.id;
    const demand = (kind: MeetingConstraint['kind'], bits: Bits): void => {
      constraints.push({ who, kind, starts: runsOf(bits, quarters) });
    };
    const take = (wish: WindowReason['wish'], flexibility: Flexibility, bits: Bits): void => {
      if (flexibility === 'not_flexible') demand(wish, bits);
      else wishes.push({ who, wish, weight: weights[wish][flexibility], starts: runsOf(bits, quarters) });
    };
    demand('busy', free);
    demand('hours', hours);
    const travel = travelMask(participant, format, horizon);
    if (travel) demand('travel', travel);
    for (const { kind, flexibility, bits } of wished) take(kind, flexibility, bits);
    const flexibility = participant.flexibility?.format ?? 'somewhat_flexible';
    const isWished = participant.formats?.includes(format.name) ?? true;
    const byFormat = isWished || flexibility !== 'not_flexible' ? formatMask(participant, format, horizon) : never;
    if (byFormat) demand('format', byFormat);
    if (participant.formats && flexibility !== 'not_flexible') take('format', flexibility, isWished ? all : never);
  }
  const possible = fitting.slice();
  for (const { starts } of constraints) retainBits(possible, starts);
  return { format, rank, quarters, fitting, possible, constraints, wishes };
}

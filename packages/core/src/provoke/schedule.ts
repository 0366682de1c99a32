// Events at set times: when a schedule is due next, and what was missed while nobody was there to notice. The clock is
// handed in; a slot names its event, so that two hubs that both see it due make one event of it.

import { type PapEvent, papVersion, type Problem, type Schedule } from '@parley/protocol';
import { Cron } from 'croner';
import type { Compiled } from './trigger.ts';

export interface CompiledSchedule {
  schedule: Schedule;
  /** The first slot after a time; null: there is none any more. */
  next: (after: number) => number | null;
}

/** A year and a day of leap: whatever has no slot in so long has none. */
const probe = Date.UTC(2024, 0, 1);

export function compileSchedule(schedule: Schedule, at = 'schedule'): Compiled<CompiledSchedule> {
  const problems: Problem[] = [];
  if (!isTimeZone(schedule.time_zone)) problems.push({ field: `${at}.time_zone`, message: 'must be a time zone as in Europe/Oslo' });
  const zone = problems.length > 0 ? 'UTC' : schedule.time_zone;
  try {
    // `?` would be filled in with the time of reading, and a schedule does not depend on when it was read.
    if (schedule.cron.includes('?')) throw new TypeError('? is not taken');
    const cron = new Cron(schedule.cron, { timezone: zone, mode: '5-part', paused: true });
    const next = (after: number): number | null => cron.nextRun(new Date(after))?.getTime() ?? null;
    if (next(probe) === null) problems.push({ field: `${at}.cron`, message: 'never comes' });
    if (problems.length === 0) return { ok: true, value: { schedule, next } };
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    problems.push({ field: `${at}.cron`, message: `must be five cron fields: ${error.message.replace(/^CronPattern: /, '')}` });
  }
  return { ok: false, problems };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Later than this, a slot was missed: the hub was not there, or it was asleep. */
export const graceMs = 60_000;
const mostSlots = 100_000;

/**
 * Which slot fires now, of those since the last that did; and when to look again. What was missed fires once, for its
 * last slot, or not at all, as the schedule says: never once for each.
 */
export function due({ schedule, next }: CompiledSchedule, last: number, now: number): { fire: number | null; again: number | null } {
  let slot: number | null = null;
  let upcoming = next(last);
  // A year of minutes is half a million: after so many, the count starts at a day ago, because only the last one matters.
  for (let i = 0; upcoming !== null && upcoming <= now; i++) {
    slot = upcoming;
    upcoming = next(i === mostSlots ? Math.max(upcoming, now - 24 * 3_600_000) : upcoming);
  }
  const fires = slot !== null && (schedule.missed === 'once' || now - slot <= graceMs);
  return { fire: fires ? slot : null, again: upcoming };
}

export function scheduleEvent({ id, emit }: Schedule, slot: number): PapEvent {
  const time = new Date(slot).toISOString();
  return {
    pap_version: papVersion,
    id: `schedule:${id}:${time}`,
    type: emit.type,
    source: emit.source ?? `schedule.${id}`,
    time,
    data: { ...emit.data, schedule: id, due: time },
  };
}

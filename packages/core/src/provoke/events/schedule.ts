// Events at set times: when a schedule is due next, and which slots were missed while no hub ran. The clock is handed in; a
// slot names its event, so that two hubs that both see it due make one event of it.

import { isReserved, type PapEvent, papVersion, type Problem, type Schedule, senderIn } from '@parley/protocol';
import { cronWords, type Slots, slotsOf } from './cron.ts';
import { onlyAMember, onlyTheSystem } from './event.ts';
import type { Compilation } from '../triggers/trigger.ts';

export interface CompiledSchedule extends Slots {
  schedule: Schedule;
}

const minute = 60_000;
/** Any time will do: what has no slot after it has none. */
const probe = Date.UTC(2024, 0, 1);

export function compileSchedule(schedule: Schedule, at = 'schedule'): Compilation<CompiledSchedule> {
  const problems: Problem[] = [];
  if (!isTimeZone(schedule.time_zone)) problems.push({ field: `${at}.time_zone`, message: 'must be a time zone as in Europe/Oslo' });
  if (senderIn(schedule.emit.source ?? '') !== undefined) problems.push({ field: `${at}.emit.source`, message: onlyAMember });
  if (isReserved(schedule.emit.type)) problems.push({ field: `${at}.emit.type`, message: onlyTheSystem });
  const zone = problems.some(({ field }) => field === `${at}.time_zone`) ? 'UTC' : schedule.time_zone;
  try {
    // The library takes dates and seconds, too, and `?` for the time of reading; a schedule does not depend on when it is read.
    if (!/^\s*(?:@[a-z]+|[^\s?]+(?:\s+[^\s?]+){4})\s*$/.test(schedule.cron)) throw new TypeError('not five fields');
    const { next, latest } = slotsOf(schedule.cron, zone);
    if (next(probe) === null) problems.push({ field: `${at}.cron`, message: 'never comes' });
    if (problems.length === 0) return { ok: true, value: { schedule, next, latest } };
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    problems.push({ field: `${at}.cron`, message: cronWords(schedule.cron) });
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
export const graceMs = minute;

/**
 * The slot that fires now, of those since the last one that fired, and the time of the next look. Missed slots fire once,
 * for the last of them, or not at all, as the schedule says: never once each. A last slot that lies in the future comes
 * from a clock that has been set back since: the schedule goes on from now, and a slot that comes again is the same event.
 */
export function dueSlots(
  { schedule, next, latest }: CompiledSchedule,
  last: number,
  now: number,
): { fire: number | null; again: number | null } {
  const slot = latest(now);
  const fires = slot !== null && slot > Math.min(last, now) && (schedule.missed === 'once' || now - slot <= graceMs);
  return { fire: fires ? slot : null, again: next(now) };
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

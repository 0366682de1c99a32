// How schedules and monitors of absence stand: what came last, what comes next, and who is silent.

import { canonical, msOf } from '@parley/core';
import type { AbsenceKey, AbsenceStanding, Absence, PapEvent, ScheduleStanding } from '@parley/protocol';
import { scheduleTimer } from '../engine/steps/invocations/timed-events.ts';
import type { Reader } from '../store/port.ts';
import type { AbsenceKeyRow, EventRow, ProvokeObjectRow } from '../store/tables.ts';
import { silenceEvents } from '../store/reads/provoke.ts';

export async function scheduleStanding(store: Reader, row: ProvokeObjectRow): Promise<ScheduleStanding> {
  const [[slot], [timer]] = await Promise.all([
    store.rows('schedule_slots', { schedule_id: row.id }),
    store.rows('timers', { kind: scheduleTimer, subject: row.id }),
  ]);
  // Written again, it counts from then: that is no time at which it came.
  return { last: slot && slot.slot > row.at ? slot.slot : null, next: timer?.due_at ?? null };
}

/** Silences looked at: of one key there can be many. */
const mostSilences = 1000;

/** What was said to be silent, and was not heard since. */
export async function absenceStanding(store: Reader, row: ProvokeObjectRow, mostKeys: number): Promise<AbsenceStanding> {
  const { within_seconds } = JSON.parse(row.body) as Absence;
  const [watched, said] = await Promise.all([
    store.rows('absence_keys', { absence_id: row.id }, { order: 'heard_at' }),
    silenceEvents(store, row.id, row.at, mostSilences),
  ]);
  const silent = silences(row.id, said, new Set(watched.map(({ key }) => key)));
  const key = ({ key: text, heard_at: heardAt }: Pick<AbsenceKeyRow, 'key' | 'heard_at'>, isSilent: boolean): AbsenceKey => ({
    key: text === '' ? null : (JSON.parse(text) as unknown),
    heardAt,
    silentAt: heardAt + msOf(within_seconds),
    silent: isSilent,
  });
  return {
    watched: watched.length,
    silent: silent.length,
    keys: [...silent.map((one) => key(one, true)), ...watched.map((one) => key(one, false))].slice(0, mostKeys),
  };
}

function silences(id: string, said: readonly EventRow[], heard: ReadonlySet<string>): Pick<AbsenceKeyRow, 'key' | 'heard_at'>[] {
  const latest = new Map<string, number>();
  for (const { body, event_id } of said) {
    const { data } = JSON.parse(body) as PapEvent;
    const since = String(data['since']);
    if (data['absence'] !== id) continue;
    const key = event_id === `absence:${id}:${since}` ? '' : canonical(data['key']);
    if (!heard.has(key) && !latest.has(key)) latest.set(key, Date.parse(since));
  }
  return [...latest].map(([key, heard_at]) => ({ key, heard_at }));
}

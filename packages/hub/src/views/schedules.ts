// The state of schedules and absence monitors: the last slot, the next one, and which keys are silent.

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
  // A slot before the last edit belongs to the old definition.
  return { last: slot && slot.slot > row.at ? slot.slot : null, next: timer?.due_at ?? null };
}

/** Silence events read; one key can have many. */
const mostSilenceEvents = 1000;

/** The watched keys, and those that were reported silent and not heard since. */
export async function absenceStanding(store: Reader, row: ProvokeObjectRow, mostKeys: number): Promise<AbsenceStanding> {
  const { within_seconds } = JSON.parse(row.body) as Absence;
  const [watched, reported] = await Promise.all([
    store.rows('absence_keys', { absence_id: row.id }, { order: 'heard_at' }),
    silenceEvents(store, row.id, row.at, mostSilenceEvents),
  ]);
  const silent = unheardKeys(row.id, reported, new Set(watched.map(({ key }) => key)));
  const keyView = ({ key: keyJson, heard_at: heardAt }: Pick<AbsenceKeyRow, 'key' | 'heard_at'>, isSilent: boolean): AbsenceKey => ({
    key: keyJson === '' ? null : (JSON.parse(keyJson) as unknown),
    heardAt,
    silentAt: heardAt + msOf(within_seconds),
    silent: isSilent,
  });
  return {
    watched: watched.length,
    silent: silent.length,
    keys: [...silent.map((key) => keyView(key, true)), ...watched.map((key) => keyView(key, false))].slice(0, mostKeys),
  };
}

function unheardKeys(id: string, events: readonly EventRow[], watchedKeys: ReadonlySet<string>): Pick<AbsenceKeyRow, 'key' | 'heard_at'>[] {
  const latest = new Map<string, number>();
  for (const { body, event_id } of events) {
    const { data } = JSON.parse(body) as PapEvent;
    const since = String(data['since']);
    if (data['absence'] !== id) continue;
    // Only the ID shows whether there is a key: the data that a monitor emits may have its own field `key`.
    const key = event_id === `absence:${id}:${since}` ? '' : canonical(data['key']);
    if (!watchedKeys.has(key) && !latest.has(key)) latest.set(key, Date.parse(since));
  }
  return [...latest].map(([key, heard_at]) => ({ key, heard_at }));
}

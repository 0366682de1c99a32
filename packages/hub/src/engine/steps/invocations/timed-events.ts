// The events that schedules and absence monitors emit when their time has come.

// Schedules: the last slot is a row, the next a timer. An event's id names its slot, so that it is one event, whichever hub
// fires it.

import type { ProvokeObjectRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { setTimer } from '../facts/timers.ts';
import { acceptFrom } from './accept-event.ts';
import { sha256 } from '../../ids.ts';
import { isStillWaiting } from './absences.ts';

export const scheduleTimer = 'schedule.due';

/** A schedule that was written or switched on counts from now. */
export function armSchedule(object: ProvokeObjectRow, tx: Tx): void {
  const compiled = object.removed_at === null && object.enabled === 1 ? tx.provoke.schedule(object) : undefined;
  setTimer(scheduleTimer, object.id, 'wall', compiled?.next(tx.now) ?? null, tx);
  if (compiled) return tx.put('schedule_slots', { schedule_id: object.id, slot: tx.now });
  const row = tx.get('schedule_slots', object.id);
  if (row) tx.remove('schedule_slots', row);
}

export function fireSchedule(id: string, tx: Tx): void {
  const row = tx.get('schedule_slots', id);
  const object = tx.get('provoke_objects', 'schedule', id);
  const compiled = object?.removed_at === null && object.enabled === 1 ? tx.provoke.schedule(object) : undefined;
  if (!row || !compiled) return;
  const { core } = tx.provoke;
  const { fire, again } = core.dueSlots(compiled, row.slot, tx.now);
  // A skipped slot stays skipped.
  tx.update('schedule_slots', row, { slot: fire ?? tx.now });
  setTimer(scheduleTimer, id, 'wall', again, tx);
  if (fire === null) return;
  const event = core.scheduleEvent(compiled.schedule, fire);
  // This slot came before: the clock was set back since.
  if (tx.find('events', 'event', event.id).some(({ via }) => via === 'schedule')) return;
  acceptFrom(object!, { event, via: 'schedule' }, tx);
}

// The event that an absence monitor emits when nothing came in time. The event's ID names the silence, so that every hub
// that notices it emits the same event.

/** The timer of one key has come: the hub emits the event once, and the next event of that key begins another wait. */
export function emitAbsence(subject: string, tx: Tx): void {
  const [id, name] = [subject.slice(0, subject.indexOf(' ')), subject.slice(subject.indexOf(' ') + 1)];
  const row = tx.get('absence_keys', id, name);
  const object = tx.get('provoke_objects', 'absence', id);
  const compiled = object?.removed_at === null && object.enabled === 1 ? tx.provoke.absence(object) : undefined;
  if (!row || !compiled) return;
  if (isStillWaiting(row, compiled, tx)) return;
  const event = tx.provoke.core.absenceEvent(compiled.absence, row.key, row.heard_at, sha256);
  tx.remove('absence_keys', row);
  acceptFrom(object!, { event, via: 'absence' }, tx);
}

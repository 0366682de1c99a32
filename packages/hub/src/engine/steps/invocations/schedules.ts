// Schedules: the last slot is a row, the next a timer. An event's id names its slot, so that it is one event, whichever hub
// fires it.

import type { ProvokeObjectRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { setTimer } from '../facts/timers.ts';
import { acceptFrom } from './accept-event.ts';

export const scheduleTimer = 'schedule.due';

/** A schedule that was written or switched on counts from now. */
export function armSchedule(object: ProvokeObjectRow, set: WorkingSet, context: Context): void {
  const compiled = object.removed_at === null && object.enabled === 1 ? context.provoke.schedule(object) : undefined;
  const row = set.get('schedule_slots', object.id);
  setTimer(scheduleTimer, object.id, 'wall', compiled?.next(context.now) ?? null, set, context);
  if (!compiled) {
    if (row) set.remove('schedule_slots', row);
  } else if (row) set.update('schedule_slots', row, { slot: context.now });
  else set.insert('schedule_slots', { schedule_id: object.id, slot: context.now });
}

export function fireSchedule(id: string, set: WorkingSet, context: Context): void {
  const row = set.get('schedule_slots', id);
  const object = set.get('provoke_objects', 'schedule', id);
  const compiled = object?.removed_at === null && object.enabled === 1 ? context.provoke.schedule(object) : undefined;
  if (!row || !compiled) return;
  const { core } = context.provoke;
  const { fire, again } = core.dueSlots(compiled, row.slot, context.now);
  // A skipped slot stays skipped.
  set.update('schedule_slots', row, { slot: fire ?? context.now });
  setTimer(scheduleTimer, id, 'wall', again, set, context);
  if (fire === null) return;
  const event = core.scheduleEvent(compiled.schedule, fire);
  // By a clock that was set back since, it has come before.
  if (set.find('events', 'event', event.id).some(({ via }) => via === 'schedule')) return;
  acceptFrom(object!, { event, via: 'schedule' }, set, context);
}

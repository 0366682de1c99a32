// Schedules: the last slot is a row, the next a timer.

import type { ProvokeObjectRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { setTimer } from '../facts/timers.ts';

export const scheduleTimer = 'schedule.due';

/** Written anew or switched on: it counts from now. */
export function scheduleChanged(object: ProvokeObjectRow, set: WorkingSet, context: Context): void {
  const compiled = object.removed_at === null && object.enabled === 1 ? context.provoke.schedule(object) : undefined;
  const row = set.get('schedule_slots', object.id);
  setTimer(scheduleTimer, object.id, 'wall', compiled?.next(context.now) ?? null, set, context);
  if (!compiled) {
    if (row) set.remove('schedule_slots', row);
  } else if (row) set.update('schedule_slots', row, { slot: context.now });
  else set.insert('schedule_slots', { schedule_id: object.id, slot: context.now });
}

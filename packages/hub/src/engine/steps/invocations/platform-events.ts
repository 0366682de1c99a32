// Events that the platform emits itself, when their time has come. Their ids name the slot or the silence, so that each is
// one event, whichever hub notices it.

import type { ProvokeObjectRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isHeardLately } from '../triggers/absences.ts';
import { acceptEvent } from './accept-event.ts';
import { mayRun } from '../triggers/triggers-in-force.ts';
import { scheduleTimer } from '../triggers/schedules.ts';
import { sha256 } from '../facts/hash.ts';
import { setTimer } from '../facts/timers.ts';

/** By somebody in whose name it may still be said. */
function isOwned({ owner_id }: ProvokeObjectRow, set: WorkingSet): boolean {
  const owner = set.get('members', owner_id);
  return owner !== undefined && mayRun(owner);
}

/** The operator answers for objects in files. */
const makerOf = ({ file, owner_id }: ProvokeObjectRow): string | undefined => (file === null ? owner_id : undefined);

export function scheduleDue(id: string, set: WorkingSet, context: Context): void {
  const row = set.get('schedule_slots', id);
  const object = set.get('provoke_objects', 'schedule', id);
  const compiled = object?.removed_at === null && object.enabled === 1 ? context.provoke.schedule(object) : undefined;
  if (!row || !compiled) return;
  const { core } = context.provoke;
  const { fire, again } = core.dueSlots(compiled, row.slot, context.now);
  // A skipped slot stays skipped.
  set.update('schedule_slots', row, { slot: fire ?? context.now });
  setTimer(scheduleTimer, id, 'wall', again, set, context);
  if (fire === null || !isOwned(object!, set)) return;
  const event = core.scheduleEvent(compiled.schedule, fire);
  // By a clock that was set back since, it has come before.
  if (set.find('events', 'event', event.id).some(({ via }) => via === 'schedule')) return;
  acceptEvent({ event, via: 'schedule', makerId: makerOf(object!) }, { type: 'platform' }, set, context);
}

/** Nothing came in time: said once, and the next that comes begins another wait. */
export function absenceDue(subject: string, set: WorkingSet, context: Context): void {
  const [id, name] = [subject.slice(0, subject.indexOf(' ')), subject.slice(subject.indexOf(' ') + 1)];
  const row = set.get('absence_keys', id, name);
  const object = set.get('provoke_objects', 'absence', id);
  const compiled = object?.removed_at === null && object.enabled === 1 ? context.provoke.absence(object) : undefined;
  if (!row || !compiled) return;
  if (isHeardLately(row, compiled, set, context)) return;
  const event = context.provoke.core.absenceEvent(compiled.absence, row.key, row.heard_at, sha256);
  set.remove('absence_keys', row);
  if (!isOwned(object!, set)) return;
  acceptEvent({ event, via: 'absence', makerId: makerOf(object!) }, { type: 'platform' }, set, context);
}

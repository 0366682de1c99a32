// The event that an absence monitor emits when nothing came in time. The event's ID names the silence, so that every hub
// that notices it emits the same event.

import type { Tx } from '../../command.ts';
import { sha256 } from '../facts/hash.ts';
import { isStillWaiting } from './absences.ts';
import { acceptFrom } from './accept-event.ts';

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

// When a person leaves, what ran as them stops, and somebody else answers for it; with an erased one go their words in it.

import { type Actor, handOverObject } from '@parley/core';
import type { PapEvent } from '@parley/protocol';
import type { EventRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { eraseAuditArguments } from '../facts/audit-entries.ts';
import { scrubLater } from './erase-message.ts';
import { firstOwner } from '../membership/members.ts';
import { provokeLock } from '../triggers/triggers-in-force.ts';
import { bodyOf, keptOf, leftOff, objectWants, writeObject } from '../invocations/stored-definitions.ts';

export function handProvoked(memberId: string, heir: string | undefined, actor: Actor, set: WorkingSet, context: Context): void {
  const owned = set.find('provoke_objects', 'owner', memberId).filter(({ removed_at }) => removed_at === null);
  if (owned.length === 0) return;
  context.lock(provokeLock);
  set.need(owned.flatMap(({ kind, id }) => objectWants(kind, id)));
  set.each(owned, (row) => {
    const { kind, file } = row;
    const handed = handOverObject(keptOf(row));
    const ownerId = (handed.to === 'first owner' ? firstOwner(set, memberId) : null) ?? heir ?? memberId;
    const body = handed.leftOff ? leftOff(bodyOf(row)) : bodyOf(row);
    writeObject({ kind, body, ownerId, file, enabled: handed.enabled }, actor, set, context);
  });
}

/** Earlier versions that they wrote; what is in force is another's by now. */
export function forgetProvoked(memberId: string, set: WorkingSet, context: Context): void {
  const written = set.find('provoke_versions', 'author', memberId);
  set.need(written.map(({ kind, id }) => ({ table: 'provoke_objects', values: [kind, id] })));
  for (const version of written) {
    const inForce = set.get('provoke_objects', version.kind, version.id)?.version === version.version;
    set.update('provoke_versions', version, { changed_by: null, ...(inForce ? {} : { body: JSON.stringify({ id: version.id }) }) });
  }
  if (written.length > 0) scrubLater(set, context);
}

/** That there was such an event is known to what it started; what it said is gone. */
export function eraseEvent(row: EventRow, set: WorkingSet, context: Context): void {
  const { pap_version, id, type, source, time } = JSON.parse(row.body) as PapEvent;
  set.update('events', row, { by_id: null, body: JSON.stringify({ pap_version, id, type, source, time, data: {} }) });
  eraseAuditArguments(row.chain_id, set);
  scrubLater(set, context);
}

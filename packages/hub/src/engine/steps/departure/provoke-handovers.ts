// When a person leaves, what ran as them stops, and somebody else answers for it; with an erased one go their words in it.

import { type Actor, handOverObject } from '@parley/core';
import type { PapEvent } from '@parley/protocol';
import type { EventRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { eraseAuditArguments } from '../facts/audit-entries.ts';
import { scrubLater } from './erase-message.ts';
import { firstOwner } from '../membership/members.ts';
import { provokeLock } from '../triggers/triggers-in-force.ts';
import { bodyOf, keptOf, leftOff, objectWants, writeObject } from '../invocations/stored-definitions.ts';

export function handProvoked(memberId: string, heir: string | undefined, actor: Actor, tx: Tx): void {
  const owned = tx.find('provoke_objects', 'owner', memberId).filter(({ removed_at }) => removed_at === null);
  if (owned.length === 0) return;
  tx.lock(provokeLock);
  tx.need(owned.flatMap(({ kind, id }) => objectWants(kind, id)));
  tx.each(owned, (row) => {
    const { kind, file } = row;
    const handed = handOverObject(keptOf(row));
    const ownerId = (handed.to === 'first owner' ? firstOwner(tx, memberId) : null) ?? heir ?? memberId;
    const body = handed.leftOff ? leftOff(bodyOf(row)) : bodyOf(row);
    writeObject({ kind, body, ownerId, file, enabled: handed.enabled }, actor, tx);
  });
}

/** Erases earlier versions that the member wrote; the version in force is another member's by now. */
export function forgetProvoked(memberId: string, tx: Tx): void {
  const written = tx.find('provoke_versions', 'author', memberId);
  tx.need(written.map(({ kind, id }) => ({ table: 'provoke_objects', values: [kind, id] })));
  for (const version of written) {
    const inForce = tx.get('provoke_objects', version.kind, version.id)?.version === version.version;
    tx.update('provoke_versions', version, { changed_by: null, ...(inForce ? {} : { body: JSON.stringify({ id: version.id }) }) });
  }
  if (written.length > 0) scrubLater(tx);
}

/** That there was such an event is known to what it started; what it said is gone. */
export function eraseEvent(row: EventRow, tx: Tx): void {
  const { pap_version, id, type, source, time } = JSON.parse(row.body) as PapEvent;
  tx.update('events', row, { by_id: null, body: JSON.stringify({ pap_version, id, type, source, time, data: {} }) });
  eraseAuditArguments(row.chain_id, tx);
  scrubLater(tx);
}

// An invocation has failed for good, nobody approved it in time, or the address for its result will never take it. Silence
// is not an outcome (PAP-14): its owner gets a notice, as the requester of a task does.

import { isInInbox } from '@parley/core';
import type { Manifest } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { dataOf, inboxLock, openCheckpoint, refreshCheckpoint } from '../facts/checkpoints.ts';
import { conversationMeant } from './meant-targets.ts';
import { whyNotPost } from './result-deliveries.ts';
import { firstOwner } from '../membership/members.ts';
import { notify } from '../facts/append.ts';
import { accessTo } from '../facts/conversation-access.ts';
import { asActor } from '../tasks/task-access.ts';

/** `reason`: a code. Words of the model or the event are in the record, and not in the notice. */
export function notifyOwner(row: InvocationRow, manifest: Manifest | undefined, reason: string, tx: Tx): void {
  const place = placeOf(row, manifest, tx);
  const about = { kind: 'invocation_failed', conversation: place?.conversation ?? '', invocation: row.id, reason } as const;
  const data = row.agent_id === null ? about : { ...about, agent: row.agent_id };
  notify(row.owner_id, place?.home ?? null, data, tx, row.chain_id);
  if (!place) keepInInbox(row, reason, tx);
}

/** With no conversation to stand in, a notice is gone once it was said: what has failed waits in the inbox until it is noted. */
function keepInInbox({ id, owner_id, trigger_id }: InvocationRow, reason: string, tx: Tx): void {
  const owner = currentOwner(owner_id, trigger_id, tx);
  if (owner === null) return;
  // Found by the trigger: a person may have thousands of open checkpoints in all.
  const subjectId = `trigger:${trigger_id}`;
  const ownCheckpoints = tx.find('checkpoints', 'subject', subjectId).filter((row) => row.member_id === owner && row.open === 1);
  const failed = { trigger: trigger_id, reason };
  const before = ownCheckpoints.find((row) => isInInbox([dataOf(row).failed ?? []].flat(), failed));
  const data = { failed: { ...failed, invocation: id } };
  // The lock lets only one of two simultaneous failures open a checkpoint; the last failure gives the reason.
  tx.lock(inboxLock(owner));
  if (before) refreshCheckpoint(before, data, tx);
  else openCheckpoint({ kind: 'failed_run', for: owner, subjectId, data }, tx);
}

/** The trigger's present owner, when the former one has left; a removed trigger was handed to nobody. */
function currentOwner(ownerId: string, triggerId: string, set: WorkingSet): string | null {
  const isHere = (id: string | undefined): id is string => id !== undefined && set.get('members', id)?.status === 'active';
  return [ownerId, set.get('provoke_objects', 'trigger', triggerId)?.owner_id].find(isHere) ?? firstOwner(set);
}

/** The place of the result if the owner may speak there; otherwise no place. */
function placeOf(
  { owner_id }: InvocationRow,
  manifest: Manifest | undefined,
  set: WorkingSet,
): { conversation: string; home: string } | undefined {
  const to = manifest?.deliver_to;
  const owner = set.get('members', owner_id);
  if (!owner || !to || !('conversation' in to)) return undefined;
  const found = conversationMeant(manifest.id, to.conversation, owner, set);
  if (!found) return undefined;
  const place = accessTo(asActor(owner), found.id, set);
  return whyNotPost(place, owner) === undefined ? { conversation: place.conversation.id, home: place.home.id } : undefined;
}

// The right to stop a task (PAP-15): its requester, the requester of its chain, the agent's owner, a moderator.

import { type Actor, may, type Relation, relationsToMember } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import { actorOf, type By, memberFacts, require, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { accessTo, mustSee } from '../facts/conversation-access.ts';

/** How they stand to the task itself, wherever it is. */
function relationsToTask(actor: Actor, task: TaskRow, set: WorkingSet): Relation[] {
  const agent = task.agent_id === null ? undefined : set.get('members', task.agent_id);
  const requesters = [task.requester_id, set.get('chains', task.chain_id)!.requester_id];
  return [
    ...(agent && relationsToMember(actor, memberFacts(agent)).includes('owner') ? (['owner'] as const) : []),
    ...(actor.type === 'member' && requesters.includes(actor.id) ? (['requester'] as const) : []),
  ];
}

export function mayStop(actor: Actor, task: TaskRow, set: WorkingSet): boolean {
  const { relations } = accessTo(actor, task.conversation_id, set);
  return may('task.stop', actor, [...relations, ...relationsToTask(actor, task, set)]).allowed;
}

/** Someone who may not even see a task cannot stop it. */
export function mustMayStop(by: By, task: TaskRow, tx: Tx) {
  const actor = actorOf(by, tx, tx.now);
  const { relations, home } = accessTo(actor, task.conversation_id, tx);
  const ownRelations = relationsToTask(actor, task, tx);
  if (ownRelations.length === 0) mustSee(actor, relations);
  require('task.stop', actor, [...relations, ...ownRelations]);
  return { actor, home, relations };
}

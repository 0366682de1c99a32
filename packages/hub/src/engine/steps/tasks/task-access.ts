// The agent that works on a task: the first check of every command about a task.

import { type Actor, isOpen, may, type Relation, relationsToMember } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow, TaskRow } from '../../../store/tables.ts';
import { actorOf, type By, type Tx, memberFacts, require } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { haltNow } from '../facts/settings.ts';
import { chainLock, homeOf } from './tasks.ts';
import { runningWants } from '../facts/timers.ts';
import { accessTo, mustSee } from '../facts/conversation-access.ts';

/** The agent acting: with its own token, or the hub for one of its built-in ones. */
export function agentActing(by: By, agentId: string | undefined, tx: Tx): MemberRow {
  const actor = actorOf(by, tx, tx.now);
  const id = actor.type === 'member' ? actor.id : agentId;
  const member = id === undefined ? undefined : tx.get('members', id);
  if (member?.kind !== 'agent' || member.status !== 'active')
    throw new ParleyError('forbidden', 'Only agents work on tasks.', { reason: 'task:not_an_agent' });
  return member;
}

export const asActor = (agent: MemberRow): Actor => ({
  type: 'member',
  id: agent.id,
  kind: agent.kind,
  role: agent.role,
  active: true,
  tokenKind: agent.kind === 'agent' ? 'agent' : 'person',
});

export const isHalted = (set: WorkingSet): boolean => haltNow(set) !== null;

export const taskWants = (taskId: string) => [wantRow('tasks', taskId), wantRow('forgotten_calls', taskId), ...runningWants];

export function taskFor(taskId: string, tx: Tx): TaskRow {
  const task = tx.get('tasks', taskId);
  if (!task) throw new ParleyError('not_found');
  tx.lock(chainLock(task.chain_id));
  return task;
}

/** The tasks that a message opened, or is among the words of. */
export function tasksOn(messageId: string, set: WorkingSet): TaskRow[] {
  set.need([wantBy('tasks', 'message', messageId), wantBy('task_words', 'message', messageId)]);
  const words = set.find('task_words', 'message', messageId);
  return [...set.find('tasks', 'message', messageId), ...set.each(words, ({ task_id }) => set.get('tasks', task_id) ?? []).flat()];
}

export const pathOf = (task: TaskRow): string[] => JSON.parse(task.path) as string[];

/** An agent knows others' tasks when it requested them, or is in their conversation. */
export const seesTask = (task: TaskRow, agentId: string, set: WorkingSet): boolean =>
  task.agent_id === agentId ||
  task.requester_id === agentId ||
  set.get('memberships', homeOf(task.conversation_id, set).id, agentId) !== undefined;

export function mustBeHolder(task: TaskRow, agentId: string, set: WorkingSet): void {
  if (task.agent_id !== agentId) throw new ParleyError(seesTask(task, agentId, set) ? 'task_of_another' : 'not_found');
}

/** An open task, for who holds it, with the lease they were given. */
export function heldTask(c: { by: By; agentId?: string; taskId: string; lease: number }, tx: Tx): TaskRow {
  const agent = agentActing(c.by, c.agentId, tx);
  const task = taskFor(c.taskId, tx);
  mustBeHolder(task, agent.id, tx);
  if (!isOpen(task.state)) throw new ParleyError('task_over');
  if (c.lease !== task.lease) throw new ParleyError('stale_lease');
  return task;
}

// The right to stop a task (PAP-15): its requester, the requester of its chain, the agent's owner, a moderator.

/** The relations to the task itself, in any conversation. */
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

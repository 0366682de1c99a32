// A person turns a task: it gets another instruction, or goes to another agent with it (PAP-15).

import { type Actor, isOpen, may, mayDelegate } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { verdictData } from '../../../store/fact-data.ts';
import type { MessageRow, TaskRow } from '../../../store/tables.ts';
import { type Handler, invalidField, require, type Tx } from '../../command.ts';
import { wakeUp } from '../../steps/agents/agents.ts';
import { comeBack } from '../../steps/attention/leave-requests.ts';
import { accessTo } from '../../steps/facts/conversation-access.ts';
import { placeMessage } from '../../steps/messages/post-message.ts';
import { redirectVerdicts } from '../../steps/messages/verdicts.ts';
import { agentLock } from '../../steps/facts/append.ts';
import { isBlocked } from '../../steps/people/contact-rules.ts';
import { continueTask } from '../../steps/tasks/follow-ups.ts';
import { openFor } from '../../steps/tasks/open-requests.ts';
import { pathOf, taskFor, taskWants, mustMayStop } from '../../steps/tasks/task-access.ts';
import { endTask, homeOf } from '../../steps/tasks/tasks.ts';
import { notTaken } from './assignments.ts';

export const redirectTask: Handler<'task.redirect'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => {
    const task = taskFor(c.taskId, tx);
    const { actor, home, relations } = mustMayStop(c.by, task, tx);
    if (!isOpen(task.state)) throw new ParleyError('task_over');
    if (actor.type !== 'member')
      throw new ParleyError('forbidden', 'The operator is not a member and cannot speak.', { reason: 'task.redirect:operator' });
    require('message.post', actor, relations);
    if (isBlocked(c.agentId ?? task.agent_id ?? '', [actor.id], tx)) throw notTaken();
    if (home.archived_at !== null) throw new ParleyError('archived');
    const conversation = tx.get('conversations', task.conversation_id)!;
    const id = tx.ids.next('message');
    const data = verdictData(redirectVerdicts(c.agentId ?? task.agent_id, { home }, tx));
    const message = placeMessage({ id, actor, conversation, home, body: c.instruction, chainId: task.chain_id, data }, tx);
    if (c.agentId === undefined || c.agentId === task.agent_id)
      return { task: continueTask(task, { id, authorId: actor.id, enters: 'urgent' }, tx), message };
    tx.lock(agentLock(c.agentId));
    return { task: redirectTo(task, c.agentId, { ...message, author_id: actor.id }, actor, tx), message };
  },
};

/** Stopped here and begun again for another agent, in the same chain and within its bounds. */
function redirectTo(task: TaskRow, agentId: string, message: MessageRow & { author_id: string }, actor: Actor, tx: Tx): TaskRow {
  const conversation = tx.get('conversations', task.conversation_id)!;
  const home = homeOf(conversation.id, tx);
  const other = tx.get('members', agentId);
  if (other?.kind !== 'agent' || other.status !== 'active' || !tx.get('memberships', home.id, agentId))
    throw invalidField('agentId', 'is not an agent in this conversation');
  const parent = task.parent_id === null ? undefined : tx.get('tasks', task.parent_id);
  const link = parent ? { depth: parent.depth, path: pathOf(parent) } : { depth: -1, path: [] };
  const allowed = mayDelegate(link, agentId, tx.get('chains', task.chain_id)!.tasks, tx.limits);
  if (!allowed.ok) throw invalidField('agentId', redirectRefusals[allowed.reason]);
  // The member who redirects the task must be allowed to speak there.
  const outputs = (JSON.parse(task.outputs) as string[]).filter((id) => {
    const { relations } = accessTo(actor, id, tx);
    return may('message.post', actor, relations).allowed;
  });
  // Work for an agent calls it.
  comeBack(agentId, conversation, actor, tx);
  // Opened before the old one ends, or the chain would be over in between.
  const incoming = { conversation, home, author: { id: message.author_id, kind: 'human' as const } };
  const request = { incoming, message, addressedBy: 'redirect', mode: 'immediate', outputs } as const;
  const next = openFor(other, { ...request, within: { chainId: task.chain_id, parent } }, tx);
  wakeUp([other.id], tx);
  endTask(tx.get('tasks', task.id)!, { state: 'cancelled', cause: 'redirected', by: message.author_id }, tx);
  return next;
}

const redirectRefusals = {
  circular: 'is already above in this chain',
  too_deep: 'would be too deep in this chain',
  chain_full: 'the chain has reached its maximum number of tasks',
} as const;

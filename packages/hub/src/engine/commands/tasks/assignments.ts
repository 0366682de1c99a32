// A person assigns a message to an agent as work (C2A-12). The message keeps its author; the assigner is the requester.

import { type Actor, assignmentVerdict, type AssignRefusal, isOpen, mayAssign } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { actorOf, type Handler, invalidField, require, type Tx } from '../../command.ts';
import { wakeUp } from '../../steps/agents/agents.ts';
import { comeBack } from '../../steps/attention/leave-requests.ts';
import { agentLock, append } from '../../steps/facts/append.ts';
import { conversationLock, liesBefore, messageFor, mustSee, accessTo } from '../../steps/facts/conversation-access.ts';
import { type AddressedRequest, openFor } from '../../steps/tasks/open-requests.ts';
import { takeAway } from '../../steps/offers/round-claims.ts';
import { taintTask } from '../../steps/tasks/transitions.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import { isBlocked } from '../../steps/people/contact-rules.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface AssignCommands {
  'message.assign': [{ messageId: string; memberId: string; urgent: boolean }, { task: TaskRow }];
}

const assign: Handler<'message.assign'> = {
  locks: (c) => [agentLock(c.memberId)],
  needs: (c) => assignWants(c.messageId, c.memberId),
  decide: (c, tx) => ({
    task: assignMessage(actorOf(c.by, tx, tx.now), messageFor(c.messageId, tx), c.memberId, c.urgent, tx),
  }),
};

export const assignWants = (messageId: string, memberId: string): Want[] => [
  ...runningWants,
  wantRow('messages', messageId),
  wantRow('members', memberId),
  wantRow('agents', memberId),
  wantBy('tasks', 'message', messageId),
  wantBy('task_words', 'message', messageId),
  wantRow('rounds', messageId),
];

/** Assigns it as work, under the rights of the assigner. The agent's lock must be held. */
export function assignMessage(actor: Actor, message: MessageRow, memberId: string, urgent: boolean, tx: Tx): TaskRow {
  tx.lock(conversationLock(message.conversation_id));
  const { conversation, home, relations, historyCutoff } = accessTo(actor, message.conversation_id, tx);
  mustSee(actor, relations);
  if (liesBefore(message.seq, historyCutoff)) throw new ParleyError('not_found');
  if (actor.type !== 'member')
    throw new ParleyError('forbidden', 'The operator is not a member and asks nobody.', { reason: 'message.assign:operator' });
  require('message.assign', actor, relations);
  if (home.archived_at !== null) throw new ParleyError('archived');
  const agent = tx.get('members', memberId);
  const joined = agent && tx.get('memberships', home.id, agent.id);
  const allowed = mayAssign({
    deleted: message.deleted_at !== null,
    agent: {
      active: agent?.kind === 'agent' && agent.status === 'active',
      member: joined !== undefined,
      before: joined !== undefined && home.history === 'joined' && liesBefore(message.seq, joined.joined_seq),
      author: message.author_id === memberId,
      atIt: isAtIt(memberId, message, tx),
    },
  });
  if (!allowed.ok) throw refusal(allowed.reason);
  if (isBlocked(memberId, [actor.id], tx)) throw notTaken();
  takeAway(message.id, tx);
  // An assignment calls the agent.
  comeBack(agent!.id, conversation, actor, tx);
  const incoming = { conversation, home, author: { id: actor.id, kind: 'human' as const } };
  const { mode } = assignmentVerdict(urgent);
  const task = give(agent!, { incoming, message, addressedBy: 'assigned', mode, outputs: [] }, tx);
  append(tx, {
    type: 'message.assigned',
    actor,
    conversation_id: home.id,
    member_id: agent!.id,
    subject_id: message.id,
    chain_id: task.chain_id,
    data: { task: task.id, ...(urgent ? { urgent: true } : {}) },
  });
  return task;
}

/** The refusal does not name who decided it, like the notice. */
export const notTaken = (): ParleyError =>
  new ParleyError('forbidden', 'This agent takes no requests from you.', { reason: 'agent:not_taken' });

/** The agent has an open task that the message began, or that the message belongs to. */
function isAtIt(agentId: string, message: MessageRow, set: WorkingSet): boolean {
  const parts = set.find('task_words', 'message', message.id).filter(({ kind }) => kind === 'follow_up');
  const tasks = [...set.find('tasks', 'message', message.id), ...parts.flatMap((word) => set.get('tasks', word.task_id) ?? [])];
  return tasks.some((task) => task.agent_id === agentId && isOpen(task.state));
}

function give(agent: MemberRow, request: AddressedRequest, tx: Tx): TaskRow {
  const task = openFor(agent, request, tx);
  const { message } = request;
  // Somebody else may have written it: it is no instruction of who gives it.
  if (message.author_id !== null) taintTask(task, { kind: 'member', id: message.author_id }, tx);
  wakeUp([agent.id], tx);
  return tx.get('tasks', task.id)!;
}

function refusal(reason: AssignRefusal): ParleyError {
  switch (reason) {
    case 'deleted':
      return new ParleyError('already_deleted');
    case 'not_here':
      return invalidField('memberId', 'is not an agent in this conversation');
    case 'before_joining':
      return invalidField('memberId', 'came later and may not read what was said before');
    case 'own_message':
    case 'already_assigned':
      return new ParleyError(reason);
  }
}

export const assignHandlers = { 'message.assign': assign };

// An agent is asked to leave (C2A-16): the tasks there that its author could stop end, and the agent finishes the others in
// threads on their requests (PAP-15). The agent may say one goodbye, and is quiet until its name is called. The agent stays
// a member: else its name would call nobody.

import { type Actor, goodbye } from '@parley/core';
import { verdictData } from '../../../store/fact-data.ts';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, LeaveRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { actorId, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { leaveClaims } from '../offers/claims.ts';
import { mayPart } from '../tasks/floor-check.ts';
import { leaveRequestsIn } from '../conversations/participants.ts';
import { settleOffers } from '../offers/offers.ts';
import { aboutMember, agentLock, append, heardIn } from '../facts/append.ts';
import { conversationLock } from '../facts/conversation-access.ts';
import { goodbyeVerdicts } from '../messages/verdicts.ts';
import { threadOn } from '../conversations/new-conversation.ts';
import { placeMessage } from '../messages/post-message.ts';
import { mayStop, asActor } from '../tasks/task-access.ts';
import { agentOf, chainLock, endTask, gatherWhole, homeOf, runsInHub, taskFact } from '../tasks/tasks.ts';
import { runningWants } from '../facts/timers.ts';

export function askToLeave(
  agent: MemberRow,
  conversation: ConversationRow,
  cause: { actor: Actor; messageId: string | null },
  tx: Tx,
): LeaveRow {
  const [before] = leaveRequestsIn(conversation, tx).get(agent.id) ?? [];
  if (before) {
    // Another asks as well: their own requests end now.
    endThere(agent.id, conversation, cause.actor, tx);
    return before;
  }
  tx.need([wantRow('leaves', conversation.id, agent.id)]);
  // The lock orders this request with offers to the agent, and with tasks that are begun for it, at the same moment.
  tx.lock(agentLock(agent.id));
  const home = homeOf(conversation.id, tx);
  const row: LeaveRow = {
    conversation_id: conversation.id,
    member_id: agent.id,
    message_id: cause.messageId,
    asked_by: actorId(cause.actor),
    at: tx.now,
    goodbye_id: null,
  };
  tx.need([...runningWants, wantRow('agents', agent.id), wantBy('tasks', 'anyone', 'any_agent', 1)]);
  endThere(agent.id, conversation, cause.actor, tx);
  tx.insert('leaves', row);
  append(tx, {
    type: 'agent.left',
    actor: cause.actor,
    ...heardIn(home.id),
    ...aboutMember(agent.id),
    data: { conversation: conversation.id, parent: conversation.parent_id },
  });
  settleOffers([home.id], tx);
  // An agent inside the hub needs no turn to say so; one outside gets the event, and says it in its own words.
  if (runsInHub(agentOf(agent.id, tx)) && mayPart(agent, conversation, tx, tx.now)) sayGoodbye(agent, conversation, row, goodbye, tx);
  return tx.get('leaves', conversation.id, agent.id)!;
}

function endThere(agentId: string, conversation: ConversationRow, actor: Actor, tx: Tx): void {
  const ownTasks = tx.find('tasks', 'agent', agentId, 1);
  const placed = (task: TaskRow): string[] => [task.conversation_id, ...(task.asked_in === null ? [] : [task.asked_in])];
  tx.need(ownTasks.flatMap(placed).map((id) => wantRow('conversations', id)));
  const isThere = (task: TaskRow): boolean =>
    placed(task).some((id) => id === conversation.id || tx.get('conversations', id)?.parent_id === conversation.id);
  tx.need(ownTasks.map(({ chain_id }) => wantRow('chains', chain_id)));
  const stops = (task: TaskRow): boolean => isThere(task) && mayStop(actor, task, tx);
  leaveClaims(agentId, 'asked_to_leave', stops, tx);
  const ended = tx.find('tasks', 'agent', agentId, 1).filter(stops);
  gatherWhole(ended, tx);
  for (const { id } of ended) endTask(tx.get('tasks', id)!, { state: 'cancelled', cause: 'asked_to_leave', by: actorId(actor) }, tx);
  if (conversation.kind === 'thread') return;
  const tasksHere = tx.find('tasks', 'agent', agentId, 1).filter(({ conversation_id }) => conversation_id === conversation.id);
  tx.need(tasksHere.flatMap(({ message_id }) => [wantRow('messages', message_id), wantBy('conversations', 'root', message_id)]));
  for (const task of tasksHere) finishInThread(task, conversation, tx);
}

/** From now on the task is there: its words, its questions, and what its requester adds. */
function finishInThread(task: TaskRow, home: ConversationRow, tx: Tx): void {
  tx.lock(chainLock(task.chain_id));
  const request = tx.get('messages', task.message_id);
  if (!request || request.conversation_id !== home.id) return;
  const { id } = threadOn(request, home, { type: 'platform' }, tx);
  // A question is answered where it was asked.
  const moved = tx.update('tasks', task, { conversation_id: id, updated_at: tx.now });
  taskFact('task.moved', moved, tx, { conversation: id, why: 'asked_to_leave' });
}

/** The agent's one message without a task. Addresses in the message call nobody. */
export function sayGoodbye(agent: MemberRow, conversation: ConversationRow, row: LeaveRow, body: string, tx: Tx): MessageRow {
  tx.lock(conversationLock(conversation.id));
  const home = homeOf(conversation.id, tx);
  const data = { goodbye: true as const, ...verdictData(goodbyeVerdicts(agent.id, { home }, tx)) };
  const message = placeMessage({ actor: asActor(agent), conversation, home, body, data }, tx);
  tx.update('leaves', row, { goodbye_id: message.id });
  return message;
}

/** The agent's name was called, here or in a thread here: the agent is back in the whole conversation. */
export function comeBack(memberId: string, conversation: ConversationRow, actor: Actor, tx: Tx): void {
  const rows = leaveRequestsIn(conversation, tx).get(memberId) ?? [];
  if (rows.length === 0) return;
  const home = homeOf(conversation.id, tx);
  for (const row of rows) {
    tx.remove('leaves', row);
    append(tx, {
      type: 'agent.returned',
      actor,
      ...heardIn(home.id),
      ...aboutMember(memberId),
      data: { conversation: row.conversation_id },
    });
  }
  settleOffers([home.id], tx);
}

/** The agent is removed from a room. When it is added again, no leave request remains. */
export function forgetLeaves(memberId: string, homeId: string, set: WorkingSet): void {
  const rows = set.find('leaves', 'member', memberId);
  set.need(rows.map((row) => wantRow('conversations', row.conversation_id)));
  for (const row of rows) if (homeOf(row.conversation_id, set).id === homeId) set.remove('leaves', row);
}

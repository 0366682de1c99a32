// A knock is injected: an agent takes a turn for it, a person gets a notice. A knock says who waits and where, and not one
// word of the message; the recipient reads the message to know.

import { isOpen } from '@parley/core';
import { wantRow } from '../../../store/port.ts';
import type { ObligationRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { wakeUp } from '../agents/agents.ts';
import { isBlocked } from '../people/contact-rules.ts';
import { leaveRequestsIn } from '../conversations/participants.ts';
import { notify, agentLock } from '../facts/append.ts';
import { agentOf, endTask, gatherTasks, homeOf, isHere, moveTask, openTask, settleChain, taskFact } from '../tasks/tasks.ts';
import { runningWants } from '../facts/timers.ts';

export function knock(to: string, row: ObligationRow, tx: Tx): void {
  const conversation = tx.get('conversations', row.conversation_id)!;
  const home = homeOf(conversation.id, tx);
  const joined = tx.get('memberships', home.id, to) !== undefined;
  const member = tx.get('members', to);
  // Nobody is there to remind. The obligation goes to the next in line when it is due.
  if (member?.status !== 'active') return;
  if (member.kind === 'agent') {
    if (joined && home.archived_at === null && !leaveRequestsIn(conversation, tx).has(to) && !isBlocked(to, [row.author_id], tx))
      knockAgent(to, row, tx);
    return;
  }
  // A member who has left the room since learns that somebody waits, not where.
  const where = joined ? { conversation: conversation.id, message: row.message_id } : { conversation: '' };
  notify(to, home.id, { kind: 'obligation_due', ...where, member: row.author_id }, tx);
}

function knockAgent(agentId: string, row: ObligationRow, tx: Tx): void {
  const going = goingOn(agentId, row, tx);
  const task = going ? wake(going, tx) : begin(agentId, row, tx);
  if (task) taskFact('task.knocked', task, tx, { message: row.message_id, obligation: row.id });
}

/** The agent's task that is already about the obligation: begun by the same words, or by a reminder that is not done yet. */
function goingOn(agentId: string, row: ObligationRow, set: WorkingSet): TaskRow | undefined {
  const parentId = row.task_id === null ? null : (set.get('tasks', row.task_id)?.parent_id ?? null);
  const open = set.find('tasks', 'agent', agentId, 1);
  return (
    open.find((task) => task.message_id === row.message_id || task.id === parentId) ??
    open.find((task) => task.addressed_by === 'obligation' && task.conversation_id === row.conversation_id)
  );
}

/** A waiting task takes a turn for the knock; a task with a running or planned turn gets it in that turn. */
function wake(task: TaskRow, tx: Tx): TaskRow {
  gatherTasks([task], tx);
  if (task.state !== 'waiting' && task.state !== 'awaiting_delegation') return task;
  const woken = moveTask(task, 'resume', { asked_in: null }, tx, { why: 'obligation' });
  settleChain(task.chain_id, tx);
  return woken;
}

/** A task of its own, in a chain of its own: the question outlives the time of the one it was asked in. */
function begin(agentId: string, row: ObligationRow, tx: Tx): TaskRow | undefined {
  const requesterId = personBehind(row, tx);
  if (requesterId === undefined) return undefined;
  tx.lock(agentLock(agentId));
  tx.need([...runningWants, wantRow('agents', agentId)]);
  const here = isHere(agentOf(agentId, tx));
  const conversation = tx.get('conversations', row.conversation_id)!;
  const home = homeOf(conversation.id, tx);
  const input = { agentId, requesterId, conversation, home, messageId: row.message_id, here, after: lineOf(row, tx) };
  const task = openTask({ ...input, addressedBy: 'obligation', mode: 'notify' }, tx);
  wakeUp([agentId], tx);
  return task;
}

/** The agents before the one who waits, and that one: no path starts a chain again (PAP-11, PAP-12). */
function lineOf(row: ObligationRow, set: WorkingSet): { depth: number; path: string[] } | undefined {
  const task = row.task_id === null ? undefined : set.get('tasks', row.task_id);
  if (!task || set.get('members', row.author_id)?.kind !== 'agent') return undefined;
  const path = JSON.parse(task.path) as string[];
  // A task further down waits for the answer; an agent that has let its claim go keeps its place in the path.
  const line = path.includes(row.author_id) ? path : [...path, row.author_id];
  return { depth: line.length - 1, path: line };
}

/** The person on whose behalf a member waits. For an agent, that is the member who began its chain. */
function personBehind(row: ObligationRow, set: WorkingSet): string | undefined {
  const author = set.get('members', row.author_id);
  const task = row.task_id === null ? undefined : set.get('tasks', row.task_id);
  const id = author?.kind === 'agent' && task ? set.get('chains', task.chain_id)!.requester_id : row.author_id;
  return id !== null && set.get('members', id)?.status === 'active' ? id : undefined;
}

const hasKnocked = ({ returns, level, reciprocal_of }: ObligationRow): boolean => returns > 0 || level > 0 || reciprocal_of !== null;

/** Settled before the agent began: no turn is spent on it any more, unless it reminds of something else as well. */
export function withdrawKnock(row: ObligationRow, tx: Tx): void {
  const knocked = tx.find('tasks', 'agent', row.holder_id, 1).filter((task) => task.conversation_id === row.conversation_id);
  const openObligations = tx.find('obligations', 'holder', row.holder_id, 1).filter((one) => one.conversation_id === row.conversation_id);
  for (const task of new Set([...tx.find('tasks', 'message', row.message_id), ...knocked])) {
    if (!isOpen(task.state) || task.addressed_by !== 'obligation' || task.state !== 'queued') continue;
    if (task.agent_id === row.holder_id && openObligations.some(hasKnocked)) continue;
    gatherTasks([task], tx);
    endTask(tx.get('tasks', task.id)!, { state: 'cancelled', cause: 'settled', by: task.requester_id }, tx);
  }
}

// A knock is injected: an agent takes a turn for it, a person gets a notice. It says who waits and where, and not one word
// of the message; the recipient reads the message to know.

import { isOpen } from '@parley/core';
import type { ObligationRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { wakeUp } from '../agents/agents.ts';
import { isBlocked } from '../people/agent-blocks.ts';
import { leaveRequestsIn } from '../conversations/leave-request-rows.ts';
import { notify } from '../facts/notices.ts';
import { agentLock } from '../facts/append.ts';
import { agentOf, endTask, gatherTasks, homeOf, isHere, moveTask, openTask, settleChain, taskFact } from '../tasks/tasks.ts';
import { runningWants } from '../facts/timers.ts';

export function knock(to: string, row: ObligationRow, set: WorkingSet, context: Context): void {
  const conversation = set.get('conversations', row.conversation_id)!;
  const home = homeOf(conversation.id, set);
  const joined = set.get('memberships', home.id, to) !== undefined;
  const member = set.get('members', to);
  // Nobody is there to be reminded; in time it goes to who stands above.
  if (member?.status !== 'active') return;
  if (member.kind === 'agent') {
    if (joined && home.archived_at === null && !leaveRequestsIn(conversation, set).has(to) && !isBlocked(to, [row.author_id], set))
      knockAgent(to, row, set, context);
    return;
  }
  // A member who has left the room since learns that somebody waits, not where.
  const where = joined ? { conversation: conversation.id, message: row.message_id } : { conversation: '' };
  notify(to, home.id, { kind: 'obligation_due', ...where, member: row.author_id }, set, context);
}

function knockAgent(agentId: string, row: ObligationRow, set: WorkingSet, context: Context): void {
  const going = goingOn(agentId, row, set);
  const task = going ? wake(going, set, context) : begin(agentId, row, set, context);
  if (task) taskFact('task.knocked', task, set, context, { message: row.message_id, obligation: row.id });
}

/** It is at it already: by the same words, for the agent that now asks, or reminded and not through yet. */
function goingOn(agentId: string, row: ObligationRow, set: WorkingSet): TaskRow | undefined {
  const above = row.task_id === null ? null : (set.get('tasks', row.task_id)?.parent_id ?? null);
  const open = set.find('tasks', 'agent', agentId, 1);
  return (
    open.find((task) => task.message_id === row.message_id || task.id === above) ??
    open.find((task) => task.addressed_by === 'obligation' && task.conversation_id === row.conversation_id)
  );
}

/** One that waits takes a turn for it; one whose turn runs or is about to hears of it in that. */
function wake(task: TaskRow, set: WorkingSet, context: Context): TaskRow {
  gatherTasks([task], set, context);
  if (task.state !== 'waiting' && task.state !== 'awaiting_delegation') return task;
  const woken = moveTask(task, 'resume', { asked_in: null }, set, context, { why: 'obligation' });
  settleChain(task.chain_id, set, context);
  return woken;
}

/** A task of its own, in a chain of its own: the question outlives the time of the one it was asked in. */
function begin(agentId: string, row: ObligationRow, set: WorkingSet, context: Context): TaskRow | undefined {
  const requesterId = personBehind(row, set);
  if (requesterId === undefined) return undefined;
  context.lock(agentLock(agentId));
  set.need([...runningWants, { table: 'agents', values: [agentId] }]);
  const here = isHere(agentOf(agentId, set));
  const conversation = set.get('conversations', row.conversation_id)!;
  const home = homeOf(conversation.id, set);
  const input = { agentId, requesterId, conversation, home, messageId: row.message_id, here, after: lineOf(row, set) };
  const task = openTask({ ...input, addressedBy: 'obligation', mode: 'notify' }, set, context);
  wakeUp([agentId], set, context);
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

/** Whose standing request it is: what an agent waits for, it waits for on behalf of who began its chain. */
function personBehind(row: ObligationRow, set: WorkingSet): string | undefined {
  const author = set.get('members', row.author_id);
  const task = row.task_id === null ? undefined : set.get('tasks', row.task_id);
  const id = author?.kind === 'agent' && task ? set.get('chains', task.chain_id)!.requester_id : row.author_id;
  return id !== null && set.get('members', id)?.status === 'active' ? id : undefined;
}

const hasKnocked = ({ returns, level, reciprocal_of }: ObligationRow): boolean => returns > 0 || level > 0 || reciprocal_of !== null;

/** Settled before the agent began: no turn is spent on it any more, unless it reminds of something else as well. */
export function withdrawKnock(row: ObligationRow, set: WorkingSet, context: Context): void {
  const knocked = set.find('tasks', 'agent', row.holder_id, 1).filter((task) => task.conversation_id === row.conversation_id);
  const stands = set.find('obligations', 'holder', row.holder_id, 1).filter((one) => one.conversation_id === row.conversation_id);
  for (const task of new Set([...set.find('tasks', 'message', row.message_id), ...knocked])) {
    if (!isOpen(task.state) || task.addressed_by !== 'obligation' || task.state !== 'queued') continue;
    if (task.agent_id === row.holder_id && stands.some(hasKnocked)) continue;
    gatherTasks([task], set, context);
    endTask(set.get('tasks', task.id)!, 'cancelled', 'settled', set, context, { by: task.requester_id });
  }
}

// A claim (C2A-15): one agent has an offer, until it has said something. An agent that declines, lets its time pass or goes
// has it no more; it is offered to the next, and when nobody is left, the requester gets a notice.

import { afterClaim, discharge, isAnyones, isFromRound, isOpen, signalOf } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { MemberRow, OfferRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endApprovals } from '../approvals/approvals.ts';
import { aboutTask, agentLock, append } from '../facts/append.ts';
import { takersOf, withdraw } from './offers.ts';
import { gatherSent, sendOn } from './round-claims.ts';
import { chainLock, endTask, gatherWhole, homeOf, moveTask, settleChain } from '../tasks/tasks.ts';
import { seesTask } from '../tasks/task-access.ts';
import { notifyRequester } from '../tasks/transitions.ts';
import { runningTime, setTimer } from '../facts/timers.ts';
import { endTurns } from '../budget/turn-budget.ts';
import { windowOf } from '../messages/composing-windows.ts';

type Ending = Parameters<typeof afterClaim>[0];
type Cause = 'agent_left' | 'asked_to_leave' | 'claim_expired' | 'disconnected';

const isClaim = (task: TaskRow): task is TaskRow & { agent_id: string } =>
  task.agent_id !== null && (isAnyones(task.addressed_by) || isFromRound(task.addressed_by));

/** Gives the task to this agent. */
export function claim(task: TaskRow, agentId: string, tx: Tx): TaskRow {
  if (takersOf([task], tx, tx.now, { among: [agentId], claiming: true }).get(task.id)!.length === 0) {
    const isIn = tx.get('memberships', homeOf(task.conversation_id, tx).id, agentId) !== undefined;
    throw new ParleyError(isIn && windowOf(task, tx) ? 'composing' : 'not_offered');
  }
  const path = JSON.stringify([...(JSON.parse(task.path) as string[]), agentId]);
  const until = runningTime(tx) + tx.limits.claimMs;
  setTimer('claim.expire', task.id, 'running', until, tx, task.lease === 0);
  recordOffer(task, agentId, 'taken', until, tx);
  return moveTask(task, 'claim', { agent_id: agentId, path }, tx);
}

/** The agent's own task, or one that is anyone's and becomes its own: the first to ask has it. */
export function takeTask(task: TaskRow, agent: MemberRow, tx: Tx): TaskRow {
  if (task.agent_id === agent.id) {
    if (!isOpen(task.state)) throw new ParleyError('task_over');
    return task;
  }
  if (!seesTask(task, agent.id, tx)) throw new ParleyError('not_found');
  if (task.agent_id !== null) throw new ParleyError(isAnyones(task.addressed_by) ? 'already_claimed' : 'task_of_another');
  if (!isOpen(task.state)) throw new ParleyError('task_over');
  return claim(task, agent.id, tx);
}

function recordOffer(task: TaskRow, agentId: string, state: OfferRow['state'], until: number | null, set: WorkingSet): void {
  const offers = set.find('offers', 'message', task.message_id);
  const before = offers.find((offer) => offer.agent_id === agentId);
  if (before) set.update('offers', before, { state, until, task_id: task.id });
  else set.insert('offers', { message_id: task.message_id, agent_id: agentId, n: offers.length + 1, state, until, task_id: task.id });
}

/**
 * The agent has said something in the task, and so begun to act: from then on the task is the agent's work, bounded as all
 * work is.
 */
function hasSpoken(task: TaskRow & { agent_id: string }, set: WorkingSet): boolean {
  // Blocked, or unclear to it: it said so with a signal, and waited for the answer.
  const marks = set.find('reactions', 'message', task.message_id).filter(({ member_id }) => member_id === task.agent_id);
  const signals = marks.flatMap(({ emoji }) => signalOf(emoji) ?? []);
  if (task.state === 'waiting' || task.state === 'awaiting_approval' || signals.some((signal) => discharge[signal] === 'report'))
    return true;
  const words = set.find('task_words', 'task', task.id).filter(({ kind }) => kind !== 'follow_up');
  return set.each(words, (word) => set.get('messages', word.message_id)?.author_id).includes(task.agent_id);
}

/** Loads all rows that releasing these claims needs in one round trip, instead of one for each. */
export function gatherClaims(tasks: readonly TaskRow[], tx: Tx): void {
  const claims = tasks.filter(isClaim);
  if (claims.length === 0) return;
  gatherWhole(claims, tx);
  tx.need(
    claims.flatMap(({ id, message_id }) => [
      wantBy('reactions', 'message', message_id),
      wantBy('task_words', 'task', id),
      wantBy('timers', 'subject', 'claim.expire', id),
    ]),
  );
  tx.each(claims, (task) => hasSpoken(task, tx));
  const { anyones = [], offered = [] } = Object.groupBy(claims, (task) => (isAnyones(task.addressed_by) ? 'anyones' : 'offered'));
  takersOf(anyones, tx, tx.now, { whole: true, lock: tx.lock });
  gatherSent(offered, tx);
}

/** The time for the agent's first words is over. */
export function expireClaim(taskId: string, tx: Tx): void {
  const task = tx.get('tasks', taskId);
  if (!task || !isOpen(task.state) || !isClaim(task)) return;
  tx.lock(chainLock(task.chain_id), agentLock(task.agent_id));
  if (!hasSpoken(task, tx)) letGo(task, 'expired', tx);
}

/** The agent has gone: true when that ends its claim. */
export function endsByDeparture(task: TaskRow, tx: Tx): boolean {
  if (!isClaim(task) || hasSpoken(task, tx)) return false;
  letGo(task, 'gone', tx);
  return true;
}

/**
 * The agent leaves a room, or the workspace: tasks that it had taken there, and not begun to speak in, pass to the next
 * agent.
 */
export function leaveClaims(
  agentId: string,
  cause: Cause & ('agent_left' | 'asked_to_leave'),
  isThere: (task: TaskRow) => boolean,
  tx: Tx,
): void {
  const claimedHere = tx.find('tasks', 'agent', agentId, 1).filter((task) => isClaim(task) && isThere(task));
  gatherClaims(claimedHere, tx);
  for (const { id } of claimedHere) {
    const task = tx.get('tasks', id)!;
    if (!isOpen(task.state) || !isClaim(task)) continue;
    tx.lock(chainLock(task.chain_id));
    if (!hasSpoken(task, tx)) letGo(task, 'gone', tx, cause);
  }
}

/** The agent declined. Undefined: the task can pass to nobody else. */
export function passOn(task: TaskRow, tx: Tx): TaskRow | undefined {
  return isClaim(task) ? letGo(task, 'declined', tx) : undefined;
}

/**
 * The agent declines a task that is offered to it: the others still have the offer, then agents that are away (PAP-17).
 * With nobody left, the requester gets a notice.
 */
export function passOffer(task: TaskRow, agentId: string, tx: Tx): void {
  const takers = (whom: object): string[] => takersOf([task], tx, tx.now, { whole: true, lock: tx.lock, ...whom }).get(task.id)!;
  if (takers({ among: [agentId], claiming: true }).length === 0) throw new ParleyError('not_offered');
  if (windowOf(task, tx)) throw new ParleyError('composing');
  gatherWhole([task], tx);
  recordOffer(task, agentId, 'declined', null, tx);
  if (task.state !== 'offered' || takers({}).length > 0) return;
  // An agent that asked a role gets word and goes on: it waits for nobody who is offline.
  if (task.parent_id !== null || takers({ later: true }).length === 0)
    return void endTask(task, { state: 'timed_out', cause: 'nobody_took_it' }, tx);
  withdraw(task, tx);
  settleChain(task.chain_id, tx);
}

const recorded = { declined: 'declined', expired: 'expired', gone: 'withdrawn' } as const;

/** Undefined: who declined was the last, and its word is the task's. */
function letGo(
  task: TaskRow & { agent_id: string },
  why: Ending,
  tx: Tx,
  cause: Cause = why === 'expired' ? 'claim_expired' : 'disconnected',
): TaskRow | undefined {
  const { agent_id: agentId } = task;
  gatherWhole([task], tx);
  if (isFromRound(task.addressed_by)) return giveBack(task, why, tx, cause);
  // Is the answer to its question still being written, the next is asked when it is whole.
  const composing = windowOf(task, tx) !== undefined;
  const takers = takersOf([task], tx, tx.now, { whole: true, lock: tx.lock }).get(task.id)!;
  recordOffer(task, agentId, recorded[why], null, tx);
  setTimer('claim.expire', task.id, 'running', null, tx);
  const next = afterClaim(why, takers.filter((id) => id !== agentId).length);
  if (next === 'end' && why === 'declined') {
    notifyRequester(task, 'nobody_took_it', tx);
    return undefined;
  }
  // The delegations were this agent's own idea of the work.
  for (const child of tx.find('tasks', 'parent', task.id, 1))
    endTask(child, { state: 'cancelled', cause: 'parent_ended', withParent: true }, tx);
  endTurns(task.id, tx);
  endApprovals(task.id, tx);
  const path = JSON.stringify((JSON.parse(task.path) as string[]).slice(0, -1));
  const free = moveTask(tx.get('tasks', task.id)!, 'release', { agent_id: null, path, asked_in: null }, tx, { why });
  if (why !== 'declined') notifyClaimLost(free, agentId, cause, tx);
  if (next === 'end') return endTask(free, { state: 'timed_out', cause: 'nobody_took_it' }, tx);
  if (next === 'offer' && composing) return free;
  if (next === 'offer') moveTask(free, 'offer', {}, tx);
  else notifyRequester(free, 'nobody_available', tx);
  settleChain(task.chain_id, tx);
  return tx.get('tasks', task.id)!;
}

/**
 * A message offered in a round had no task before its claim: this task ends with the claim, and the next agent to claim
 * gets one of its own.
 */
function giveBack(task: TaskRow & { agent_id: string }, why: Ending, tx: Tx, cause: Cause): TaskRow | undefined {
  setTimer('claim.expire', task.id, 'running', null, tx);
  // The author asked nobody by name: they get a notice when nobody is left, not for each agent.
  const ended = why === 'declined' ? undefined : endTask(task, { state: 'timed_out', cause, by: task.requester_id }, tx);
  sendOn(task, recorded[why], tx);
  return ended;
}

/** The agent that had it gets an event that it has it no more; it knows when it said so itself. */
function notifyClaimLost(task: TaskRow, agentId: string, cause: Cause, tx: Tx): void {
  const conversation_id = homeOf(task.conversation_id, tx).id;
  append(tx, { type: 'task.lost', scope: 'member', conversation_id, ...aboutTask(task), member_id: agentId, data: { cause } });
}

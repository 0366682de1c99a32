// A claim (C2A-15): one agent has an offer, until it has said something. An agent that declines, lets its time pass or goes
// has it no more; it is offered to the next, and when nobody is left, the requester gets a notice.

import { afterClaim, discharge, isAnyones, isFromRound, isOpen, signalOf } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { MemberRow, OfferRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endApprovals } from '../approvals/approvals.ts';
import { notify } from '../facts/notices.ts';
import { takersOf, tellWaits, withdraw } from './offers.ts';
import { agentLock, append } from '../facts/append.ts';
import { gatherSent, sendOn } from './round-claims.ts';
import { chainLock, endTask, gatherWhole, homeOf, moveTask, settleChain } from '../tasks/tasks.ts';
import { seesTask } from '../tasks/task-access.ts';
import { runningTime, setTimer } from '../facts/timers.ts';
import { endTurns } from '../budget/turn-budget.ts';
import { windowOf } from '../messages/composing-windows.ts';

type Ending = Parameters<typeof afterClaim>[0];
type Cause = 'agent_left' | 'asked_to_leave' | 'claim_expired' | 'disconnected';

const isClaim = (task: TaskRow): task is TaskRow & { agent_id: string } =>
  task.agent_id !== null && (isAnyones(task.addressed_by) || isFromRound(task.addressed_by));

/** It is this agent's now. */
export function claim(task: TaskRow, agentId: string, set: WorkingSet, context: Context): TaskRow {
  if (takersOf([task], set, context.now, { among: [agentId], claiming: true }).get(task.id)!.length === 0) {
    const isIn = set.get('memberships', homeOf(task.conversation_id, set).id, agentId) !== undefined;
    throw new ParleyError(isIn && windowOf(task, set) ? 'composing' : 'not_offered');
  }
  const path = JSON.stringify([...(JSON.parse(task.path) as string[]), agentId]);
  const until = runningTime(set, context) + context.limits.claimMs;
  setTimer('claim.expire', task.id, 'running', until, set, context, task.lease === 0);
  note(task, agentId, 'taken', until, set);
  return moveTask(task, 'claim', { agent_id: agentId, path }, set, context);
}

/** The agent's own task, or one that is anyone's and becomes its own: the first to ask has it. */
export function takeTask(task: TaskRow, agent: MemberRow, set: WorkingSet, context: Context): TaskRow {
  if (task.agent_id === agent.id) {
    if (!isOpen(task.state)) throw new ParleyError('task_over');
    return task;
  }
  if (!seesTask(task, agent.id, set)) throw new ParleyError('not_found');
  if (task.agent_id !== null) throw new ParleyError(isAnyones(task.addressed_by) ? 'already_claimed' : 'task_of_another');
  if (!isOpen(task.state)) throw new ParleyError('task_over');
  return claim(task, agent.id, set, context);
}

function note(task: TaskRow, agentId: string, state: OfferRow['state'], until: number | null, set: WorkingSet): void {
  const asked = set.find('offers', 'message', task.message_id);
  const before = asked.find((offer) => offer.agent_id === agentId);
  if (before) set.update('offers', before, { state, until, task_id: task.id });
  else set.insert('offers', { message_id: task.message_id, agent_id: agentId, n: asked.length + 1, state, until, task_id: task.id });
}

/** Said anything in it, and so begun to act: from then on it is the agent's work, bounded as all work is. */
function hasSpoken(task: TaskRow & { agent_id: string }, set: WorkingSet): boolean {
  // Blocked, or unclear to it: it said so with a signal, and waited for the answer.
  const marks = set.find('reactions', 'message', task.message_id).filter(({ member_id }) => member_id === task.agent_id);
  const signals = marks.flatMap(({ emoji }) => signalOf(emoji) ?? []);
  if (task.state === 'waiting' || task.state === 'awaiting_approval' || signals.some((signal) => discharge[signal] === 'report'))
    return true;
  const words = set.find('task_words', 'task', task.id).filter(({ kind }) => kind !== 'follow_up');
  set.need(words.map((word) => ({ table: 'messages', values: [word.message_id] })));
  return words.some((word) => set.get('messages', word.message_id)?.author_id === task.agent_id);
}

/** Everything that letting so many of its claims go needs, asked for at once: each would be found missing on its own otherwise. */
export function gatherClaims(tasks: readonly TaskRow[], set: WorkingSet, context: Context): void {
  const claims = tasks.filter(isClaim);
  if (claims.length === 0) return;
  gatherWhole(claims, set, context);
  set.need(
    claims.flatMap((task) => [
      wantBy('reactions', 'message', task.message_id),
      wantBy('task_words', 'task', task.id),
      wantBy('timers', 'subject', 'claim.expire', task.id),
    ]),
  );
  const words = claims.flatMap((task) => set.find('task_words', 'task', task.id)).filter(({ kind }) => kind !== 'follow_up');
  set.need(words.map((word) => ({ table: 'messages', values: [word.message_id] })));
  const anyones = claims.filter(({ addressed_by }) => isAnyones(addressed_by));
  takersOf(anyones, set, context.now, { whole: true, lock: context.lock });
  gatherSent(
    claims.filter(({ addressed_by }) => isFromRound(addressed_by)),
    set,
    context,
  );
}

/** Its time to say something is over. */
export function expireClaim(taskId: string, set: WorkingSet, context: Context): void {
  const task = set.get('tasks', taskId);
  if (!task || !isOpen(task.state) || !isClaim(task)) return;
  context.lock(chainLock(task.chain_id), agentLock(task.agent_id));
  if (!hasSpoken(task, set)) letGo(task, 'expired', set, context);
}

/** Its agent has gone: true when that ends its claim. */
export function goneWith(task: TaskRow, set: WorkingSet, context: Context): boolean {
  if (!isClaim(task) || hasSpoken(task, set)) return false;
  letGo(task, 'gone', set, context);
  return true;
}

/** It leaves a room, or altogether: what it had taken there, and not begun to speak in, is the next one's. */
export function leaveClaims(
  agentId: string,
  cause: Cause & ('agent_left' | 'asked_to_leave'),
  isThere: (task: TaskRow) => boolean,
  set: WorkingSet,
  context: Context,
): void {
  const there = set.find('tasks', 'agent', agentId, 1).filter((task) => isClaim(task) && isThere(task));
  gatherClaims(there, set, context);
  for (const { id } of there) {
    const task = set.get('tasks', id)!;
    if (!isOpen(task.state) || !isClaim(task)) continue;
    context.lock(chainLock(task.chain_id));
    if (!hasSpoken(task, set)) letGo(task, 'gone', set, context, cause);
  }
}

/** It said no. Undefined: it is nobody else's to take. */
export function passOn(task: TaskRow, set: WorkingSet, context: Context): TaskRow | undefined {
  return isClaim(task) ? letGo(task, 'declined', set, context) : undefined;
}

/** It is offered and not for this agent: the others have it, then who is away (PAP-17); with nobody left, its requester gets a notice. */
export function passOffer(task: TaskRow, agentId: string, set: WorkingSet, context: Context): void {
  const takers = (whom: object): string[] => takersOf([task], set, context.now, { whole: true, lock: context.lock, ...whom }).get(task.id)!;
  if (takers({ among: [agentId], claiming: true }).length === 0) throw new ParleyError('not_offered');
  if (windowOf(task, set)) throw new ParleyError('composing');
  gatherWhole([task], set, context);
  note(task, agentId, 'declined', null, set);
  if (task.state !== 'offered' || takers({}).length > 0) return;
  // An agent that asked a role gets word and goes on: it waits for nobody who is offline.
  if (task.parent_id !== null || takers({ later: true }).length === 0)
    return void endTask(task, 'timed_out', 'nobody_took_it', set, context);
  withdraw(task, homeOf(task.conversation_id, set).id, set, context);
  settleChain(task.chain_id, set, context);
}

const recorded = { declined: 'declined', expired: 'expired', gone: 'withdrawn' } as const;

/** Undefined: who declined was the last, and its word is the task's. */
function letGo(
  task: TaskRow & { agent_id: string },
  why: Ending,
  set: WorkingSet,
  context: Context,
  cause: Cause = why === 'expired' ? 'claim_expired' : 'disconnected',
): TaskRow | undefined {
  const { agent_id: agentId } = task;
  gatherWhole([task], set, context);
  if (isFromRound(task.addressed_by)) return giveBack(task, why, set, context, cause);
  // Is the answer to its question still being written, the next is asked when it is whole.
  const composing = windowOf(task, set) !== undefined;
  const others = takersOf([task], set, context.now, { whole: true, lock: context.lock })
    .get(task.id)!
    .filter((id) => id !== agentId);
  note(task, agentId, recorded[why], null, set);
  setTimer('claim.expire', task.id, 'running', null, set, context);
  const next = afterClaim(why, others.length);
  if (next === 'end' && why === 'declined') {
    tellNobody(task, set, context);
    return undefined;
  }
  // Its delegations were its own idea of the work.
  for (const child of set.find('tasks', 'parent', task.id, 1))
    endTask(child, 'cancelled', 'parent_ended', set, context, { fromAbove: true });
  endTurns(task.id, set, context);
  endApprovals(task.id, set, context);
  const path = JSON.stringify((JSON.parse(task.path) as string[]).slice(0, -1));
  const free = moveTask(set.get('tasks', task.id)!, 'release', { agent_id: null, path, asked_in: null }, set, context, { why });
  if (why !== 'declined') tellClaimLost(free, agentId, cause, set, context);
  if (next === 'end') return endTask(free, 'timed_out', 'nobody_took_it', set, context);
  if (next === 'offer' && composing) return free;
  if (next === 'offer') moveTask(free, 'offer', {}, set, context);
  else tellWaits(free, homeOf(free.conversation_id, set).id, set, context);
  settleChain(task.chain_id, set, context);
  return set.get('tasks', task.id)!;
}

/** What went round had no task before its claim: this one ends with it, and the next to claim it gets one of its own. */
function giveBack(task: TaskRow & { agent_id: string }, why: Ending, set: WorkingSet, context: Context, cause: Cause): TaskRow | undefined {
  setTimer('claim.expire', task.id, 'running', null, set, context);
  // Its author asked nobody by name: they get a notice when nobody is left, not about each.
  const ended = why === 'declined' ? undefined : endTask(task, 'timed_out', cause, set, context, { by: task.requester_id });
  sendOn(task, recorded[why], set, context);
  return ended;
}

/** The agent that had it gets an event that it has it no more; it knows when it said so itself. */
function tellClaimLost(task: TaskRow, agentId: string, cause: Cause, set: WorkingSet, context: Context): void {
  append(set, context, {
    type: 'task.lost',
    scope: 'member',
    member_id: agentId,
    conversation_id: homeOf(task.conversation_id, set).id,
    subject_id: task.id,
    chain_id: task.chain_id,
    data: { cause },
  });
}

/** The task above gets a sub-task's end. */
function tellNobody(task: TaskRow, set: WorkingSet, context: Context): void {
  if (task.requester_id === null || task.parent_id !== null) return;
  const about = { kind: 'nobody_took_it', conversation: task.conversation_id, message: task.message_id, task: task.id } as const;
  notify(task.requester_id, homeOf(task.conversation_id, set).id, about, set, context, task.chain_id);
}

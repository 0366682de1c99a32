// The end of an approval: approved, denied, approved for good, or unanswered. Each resumes the task.

import { type Actor, isOpen, type UnknownChoice } from '@parley/core';
import { wantBy } from '../../../store/port.ts';
import type { ApprovalRow, CheckpointRow, TaskRow, InvocationRow } from '../../../store/tables.ts';
import { workOf } from '../../../store/stored-values.ts';
import { actorId, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endApprovals, forgetInput, recordAnswer, remind, withdraw, closeQuestion } from '../approvals/approvals.ts';
import { auditExpiry, auditChainWant, eraseAuditArguments } from '../facts/audit-entries.ts';
import { chainLock, extendChain } from '../tasks/chains.ts';
import { dataOf } from '../facts/checkpoints.ts';
import { interruptWithAnswer } from '../tasks/follow-ups.ts';
import { answerInvocation, invocationDue } from '../invocations/invocation-approvals.ts';
import { aboutMember, append } from '../facts/append.ts';
import { tasksOn } from '../tasks/task-access.ts';
import { homeOf, moveTask, settleChain } from '../tasks/tasks.ts';
import { settleUnknown, askAboutAttempt, settleUnknownAttempt } from '../approvals/unknown-outcomes.ts';
import type { AuditOutcome } from '@parley/protocol';
import { storedState } from '../../../store/stored-values.ts';
import { failUnknown } from '../invocations/attempt-ends.ts';
import { undecidedStep } from '../invocations/journal.ts';
import { invocationFact, moveInvocation } from '../invocations/transitions.ts';
import { setTimer } from '../facts/timers.ts';

const outcomes: Readonly<Record<string, 'approved' | 'denied'>> = { approve: 'approved', always: 'approved', deny: 'denied' };

/** The first answer counts; the caller closes the checkpoint. False: it came too late, whether or not the timer fired already. */
export function answerApproval(checkpoint: CheckpointRow, choice: string, actor: Actor, tx: Tx): boolean {
  const row = tx.get('approvals', checkpoint.id);
  if (!row || row.state !== 'pending') return true;
  const work = workOf(row);
  if ('invocation' in work) {
    // Core decides whether a late approval of an invocation counts.
    answerInvocation(row, choice, actor, tx);
    return true;
  }
  const task = tx.get('tasks', work.task);
  if (!task) return true;
  if (tx.now >= row.until) {
    approvalDue(row.id, tx);
    return false;
  }
  tx.lock(chainLock(task.chain_id));
  const state = outcomes[choice]!;
  const answeredRow = tx.update('approvals', row, { state, answered_at: tx.now, answered_lease: task.lease });
  recordAnswer({ row, about: task, choice, outcome: state, actor }, tx);
  if (choice === 'always' && row.target_id !== null) approvePair(row.agent_id, row.target_id, actor, tx);
  if (state === 'approved') extendChain(task.chain_id, task.id, tx);
  resumeWith(task, answeredRow, tx);
  return true;
}

function approvePair(agentId: string, targetId: string, actor: Actor, tx: Tx): void {
  if (tx.get('approved_pairs', agentId, targetId)) return;
  tx.insert('approved_pairs', { agent_id: agentId, target_id: targetId, approved_by: actorId(actor), at: tx.now });
  append(tx, { type: 'contact.approved', actor, ...aboutMember(agentId), data: { target: targetId } });
}

/** The task goes on in a new turn (C2A-9). A task that waits for its requester's reply goes on with that. */
function resumeWith(task: TaskRow, { id, state }: ApprovalRow, tx: Tx): void {
  if (!isOpen(task.state)) return;
  const data = { approval: id, state };
  const isWaiting = task.state === 'awaiting_approval' || task.state === 'awaiting_delegation';
  if (isWaiting) moveTask(task, 'resume', {}, tx, data);
  else if (task.state === 'active') interruptWithAnswer(task, data, tx);
  settleChain(task.chain_id, tx);
}

/** Time for a reminder, or nobody has answered for as long as anybody is asked. */
export function approvalDue(id: string, tx: Tx): void {
  const row = tx.get('approvals', id);
  if (!row || row.state !== 'pending') return;
  if (row.why === 'unknown' && tx.now >= row.until) return leaveUnknown(row, tx);
  const work = workOf(row);
  if ('invocation' in work) return invocationDue(row, tx);
  const task = tx.get('tasks', work.task);
  if (!task) return;
  tx.lock(chainLock(task.chain_id));
  if (tx.now < row.until) return remindOf(row, task, tx);
  // The chain is over at the same moment, and ends all that is in it.
  if (tx.now >= tx.get('chains', task.chain_id)!.outer_at) return;
  auditExpiry({ row, chainId: task.chain_id, conversationId: task.conversation_id }, tx);
  resumeWith(task, withdraw(row, task.lease, tx), tx);
}

function remindOf(row: ApprovalRow, task: TaskRow, tx: Tx): void {
  const home = homeOf(task.conversation_id, tx);
  // The member who answers for the agent need not be where it works.
  const isIn = tx.get('memberships', home.id, tx.get('checkpoints', row.id)!.member_id) !== undefined;
  const notice = { conversation: isIn ? task.conversation_id : '', task: task.id };
  remind(row, { home: home.id, chainId: task.chain_id, notice }, tx);
}

/** A message is deleted: what an agent wrote with it before its eyes is not kept for anybody. */
export function forgetAsked(messageId: string, tx: Tx): void {
  for (const { task_id } of tx.find('task_words', 'message', messageId)) {
    if (tx.find('approvals', 'whole', task_id).length === 0) continue;
    const task = tx.get('tasks', task_id)!;
    tx.lock(chainLock(task.chain_id));
    const isAwaited = tx.find('approvals', 'whole', task_id).some(({ state }) => state === 'pending');
    leaveAsked(task_id, tx);
    endApprovals(task_id, tx);
    for (const { id } of tx.find('approvals', 'whole', task_id)) forgetInput(id, tx);
    // The agent does not read a refusal: it decides again, without the deleted words.
    if (isAwaited && task.state === 'awaiting_approval') {
      moveTask(task, 'resume', {}, tx, { why: 'message_deleted' });
      settleChain(task.chain_id, tx);
    }
  }
}

/** The arguments of such a call are no longer shown to a person either. */
function leaveAsked(taskId: string, tx: Tx): void {
  for (const { id, state, why } of tx.find('approvals', 'whole', taskId)) {
    const { step } = why === 'unknown' && state === 'pending' ? dataOf(tx.get('checkpoints', id)!) : {};
    if (step) settleUnknown(step, 'leave', tx);
  }
}

const chainsOf = (messageId: string, set: WorkingSet): string[] => [...new Set(tasksOn(messageId, set).map(({ chain_id }) => chain_id))];

/** Loads the rows that `forgetAnswered` reads, for many messages at once. */
export function gatherAnswered(messageIds: readonly string[], set: WorkingSet): void {
  const chains = [...new Set(set.each(messageIds, (id) => chainsOf(id, set)).flat())];
  set.need(chains.flatMap((id) => [wantBy('tasks', 'chain', id, 0), auditChainWant(id)]));
  const tasks = chains.flatMap((id) => set.find('tasks', 'chain', id, 0));
  set.each(tasks, ({ id }) => set.find('approvals', 'whole', id));
}

/**
 * Answered approvals in the chains of a message go as well, though the chains are over: any of their agents may have had
 * the words.
 */
export function forgetAnswered(messageId: string, tx: Tx): void {
  for (const chainId of chainsOf(messageId, tx)) {
    eraseAuditArguments(chainId, tx);
    const kept = tx
      .find('tasks', 'chain', chainId, 0)
      .flatMap(({ id }) => tx.find('approvals', 'whole', id))
      .filter(({ input }) => input !== 'null');
    if (kept.length > 0) tx.lock(chainLock(chainId));
    for (const { id } of kept) forgetInput(id, tx);
  }
}

// A person's answer about a call that may have happened, or the end of the time for an answer (SYS-12). Each answer counts
// once.

const unknownOutcomes: Readonly<Record<UnknownChoice, AuditOutcome>> = { did: 'done', again: 'approved', leave: 'unknown' };

/** The caller closes the checkpoint. */
export function answerUnknown(checkpoint: CheckpointRow, choice: UnknownChoice, actor: Actor, tx: Tx): void {
  const row = tx.get('approvals', checkpoint.id);
  if (!row || row.state !== 'pending') return;
  const work = workOf(row);
  const task = 'task' in work ? tx.get('tasks', work.task) : undefined;
  const invocation = 'invocation' in work ? tx.get('invocations', work.invocation) : undefined;
  const of = task ?? invocation;
  if (!of) return;
  tx.lock(chainLock(of.chain_id));
  recordAnswer({ row, about: of, choice, outcome: unknownOutcomes[choice], actor }, tx);
  settle(row, 'used', task?.lease ?? null, tx);
  if (task) goOn(checkpoint, task, choice, tx);
  else tryOn(checkpoint, invocation!, choice, tx);
}

function settle(row: ApprovalRow, state: 'used' | 'expired', lease: number | null, tx: Tx): void {
  setTimer('approval.due', row.id, 'wall', null, tx);
  tx.update('approvals', row, { state: storedState(state), answered_at: tx.now, answered_lease: lease, input: 'null' });
}

function goOn(checkpoint: CheckpointRow, task: TaskRow, choice: UnknownChoice, tx: Tx): void {
  settleUnknown(dataOf(checkpoint).step!, choice, tx);
  if (choice === 'again') extendChain(task.chain_id, task.id, tx);
  if (isOpen(task.state) && task.state === 'awaiting_approval')
    moveTask(tx.get('tasks', task.id)!, 'resume', {}, tx, { approval: checkpoint.id, choice });
  settleChain(task.chain_id, tx);
}

/** Another attempt, unless it is left: a person who wants it to go on gives it one more where none is left. */
function tryOn(checkpoint: CheckpointRow, row: InvocationRow, choice: UnknownChoice, tx: Tx): void {
  if (row.state !== 'awaiting_approval' || row.checkpoint_id !== checkpoint.id) return;
  settleUnknownAttempt(dataOf(checkpoint).step!, choice, tx);
  if (choice === 'leave') {
    failUnknown(row, tx);
    return;
  }
  // Calls that were under way at the same time are asked about one by one.
  const next = undecidedStep(row, tx);
  const waiting = next && askAboutAttempt(row, next, row.error ?? '', tx);
  if (waiting) {
    invocationFact('awaiting_approval', waiting, { reason: 'may_have_happened' }, tx);
    return;
  }
  const attempts = Math.max(row.attempts, row.attempt + 1);
  moveInvocation(row, 'queued', { due_at: null, error: null, attempts }, tx, choice);
  extendChain(row.chain_id, row.id, tx);
}

/** The question expired, so the call is dropped. */
function leaveUnknown(row: ApprovalRow, tx: Tx): void {
  const checkpoint = tx.get('checkpoints', row.id)!;
  closeQuestion(row, tx);
  const work = workOf(row);
  if ('invocation' in work) {
    const invocation = tx.get('invocations', work.invocation);
    if (invocation?.state !== 'awaiting_approval' || invocation.checkpoint_id !== row.id) return;
    tx.lock(chainLock(invocation.chain_id));
    auditExpiry({ row, chainId: invocation.chain_id, conversationId: null }, tx);
    settle(row, 'expired', null, tx);
    settleUnknownAttempt(dataOf(checkpoint).step!, 'leave', tx);
    failUnknown(invocation, tx);
    return;
  }
  const task = tx.get('tasks', work.task);
  if (!task) return;
  auditExpiry({ row, chainId: task.chain_id, conversationId: task.conversation_id }, tx);
  settle(row, 'expired', task.lease, tx);
  goOn(checkpoint, task, 'leave', tx);
}

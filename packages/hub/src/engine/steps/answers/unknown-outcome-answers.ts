// A person's answer about a call that may have happened, or the end of the time for an answer (SYS-12). Each answer counts
// once.

import { type Actor, isOpen, type UnknownChoice } from '@parley/core';
import type { AuditOutcome } from '@parley/protocol';
import type { ApprovalRow, CheckpointRow, InvocationRow, TaskRow } from '../../../store/tables.ts';
import { storedState, workOf } from '../../../store/stored-values.ts';
import type { Tx } from '../../command.ts';
import { auditExpiry } from '../facts/audit-entries.ts';
import { chainLock, extendChain } from '../tasks/chains.ts';
import { dataOf } from '../facts/checkpoints.ts';
import { failUnknown } from '../invocations/attempt-ends.ts';
import { undecidedStep } from '../invocations/journal.ts';
import { invocationFact, moveInvocation } from '../invocations/transitions.ts';
import { moveTask, settleChain } from '../tasks/tasks.ts';
import { setTimer } from '../facts/timers.ts';
import { closeQuestion, recordAnswer } from '../approvals/approvals.ts';
import { askAboutAttempt, settleUnknown, settleUnknownAttempt } from '../approvals/unknown-outcomes.ts';

const outcomes: Readonly<Record<UnknownChoice, AuditOutcome>> = { did: 'done', again: 'approved', leave: 'unknown' };

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
  recordAnswer({ row, about: task ?? { id: of.id, chain_id: of.chain_id }, choice, outcome: outcomes[choice], actor }, tx);
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

/** Nobody said anything in time: it is left. */
export function leaveUnknown(row: ApprovalRow, tx: Tx): void {
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

// What a person says of a call that may have happened, or that nobody said anything in time (SYS-12). Each answer counts once.

import { type Actor, isOpen, type UnknownChoice } from '@parley/core';
import type { AuditOutcome } from '@parley/protocol';
import type { ApprovalRow, CheckpointRow, InvocationRow, TaskRow } from '../../../store/tables.ts';
import { storedState } from '../../../store/stored-words.ts';
import { workOf } from '../../../store/work-ref.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
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
export function answerUnknown(checkpoint: CheckpointRow, choice: UnknownChoice, actor: Actor, set: WorkingSet, context: Context): void {
  const row = set.get('approvals', checkpoint.id);
  if (!row || row.state !== 'pending') return;
  const work = workOf(row);
  const task = 'task' in work ? set.get('tasks', work.task) : undefined;
  const invocation = 'invocation' in work ? set.get('invocations', work.invocation) : undefined;
  const of = task ?? invocation;
  if (!of) return;
  context.lock(chainLock(of.chain_id));
  recordAnswer({ row, about: task ?? { id: of.id, chain_id: of.chain_id }, choice, outcome: outcomes[choice], actor }, set, context);
  settle(row, 'used', task?.lease ?? null, set, context);
  if (task) goOn(checkpoint, task, choice, set, context);
  else tryOn(checkpoint, invocation!, choice, set, context);
}

function settle(row: ApprovalRow, state: 'used' | 'expired', lease: number | null, set: WorkingSet, context: Context): void {
  setTimer('approval.due', row.id, 'wall', null, set, context);
  set.update('approvals', row, { state: storedState(state), answered_at: context.now, answered_lease: lease, input: 'null' });
}

function goOn(checkpoint: CheckpointRow, task: TaskRow, choice: UnknownChoice, set: WorkingSet, context: Context): void {
  settleUnknown(dataOf(checkpoint).step!, choice, set, context);
  if (choice === 'again') extendChain(task.chain_id, task.id, set, context);
  if (isOpen(task.state) && task.state === 'awaiting_approval')
    moveTask(set.get('tasks', task.id)!, 'resume', {}, set, context, { approval: checkpoint.id, choice });
  settleChain(task.chain_id, set, context);
}

/** Another attempt, unless it is left: a person who wants it to go on gives it one more where none is left. */
function tryOn(checkpoint: CheckpointRow, row: InvocationRow, choice: UnknownChoice, set: WorkingSet, context: Context): void {
  if (row.state !== 'awaiting_approval' || row.checkpoint_id !== checkpoint.id) return;
  settleUnknownAttempt(dataOf(checkpoint).step!, choice, set, context);
  if (choice === 'leave') {
    failUnknown(row, set, context);
    return;
  }
  // Calls that were under way at the same time are asked about one by one.
  const next = undecidedStep(row, set);
  const asked = next && askAboutAttempt(row, next, row.error ?? '', set, context);
  if (asked) {
    invocationFact('awaiting_approval', asked, { reason: 'may_have_happened' }, set, context);
    return;
  }
  const attempts = Math.max(row.attempts, row.attempt + 1);
  moveInvocation(row, 'queued', { due_at: null, error: null, attempts }, set, context, choice);
  extendChain(row.chain_id, row.id, set, context);
}

/** Nobody said anything in time: it is left. */
export function leaveUnknown(row: ApprovalRow, set: WorkingSet, context: Context): void {
  const checkpoint = set.get('checkpoints', row.id)!;
  closeQuestion(row, set, context);
  const work = workOf(row);
  if ('invocation' in work) {
    const invocation = set.get('invocations', work.invocation);
    if (invocation?.state !== 'awaiting_approval' || invocation.checkpoint_id !== row.id) return;
    context.lock(chainLock(invocation.chain_id));
    auditExpiry({ row, chainId: invocation.chain_id, conversationId: null }, set, context);
    settle(row, 'expired', null, set, context);
    settleUnknownAttempt(dataOf(checkpoint).step!, 'leave', set, context);
    failUnknown(invocation, set, context);
    return;
  }
  const task = set.get('tasks', work.task);
  if (!task) return;
  auditExpiry({ row, chainId: task.chain_id, conversationId: task.conversation_id }, set, context);
  settle(row, 'expired', task.lease, set, context);
  goOn(checkpoint, task, 'leave', set, context);
}

// The end of an approval: approved, denied, approved for good, or unanswered. Each resumes the task.

import { type Actor, isOpen } from '@parley/core';
import { wantBy } from '../../../store/port.ts';
import type { ApprovalRow, CheckpointRow, TaskRow } from '../../../store/tables.ts';
import { workOf } from '../../../store/work-ref.ts';
import { actorId, type Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endApprovals, forgetInput, recordAnswer, remind, withdraw } from '../approvals/approvals.ts';
import { auditExpiry, auditChainWant, eraseAuditArguments } from '../facts/audit-entries.ts';
import { extendChain } from '../tasks/chains.ts';
import { dataOf } from '../facts/checkpoints.ts';
import { interruptWithAnswer } from '../tasks/interrupts.ts';
import { answerInvocation, invocationDue } from '../invocations/invocation-approvals.ts';
import { aboutMember, append } from '../facts/append.ts';
import { chainLock, homeOf, moveTask, settleChain } from '../tasks/tasks.ts';
import { leaveUnknown } from './unknown-outcome-answers.ts';
import { settleUnknown } from '../approvals/unknown-outcomes.ts';

const outcomes: Readonly<Record<string, 'approved' | 'denied'>> = { approve: 'approved', always: 'approved', deny: 'denied' };

/** The first answer counts; the caller closes the checkpoint. False: it came too late, whether or not the timer fired already. */
export function answerApproval(checkpoint: CheckpointRow, choice: string, actor: Actor, set: WorkingSet, context: Context): boolean {
  const row = set.get('approvals', checkpoint.id);
  if (!row || row.state !== 'pending') return true;
  const work = workOf(row);
  if ('invocation' in work) {
    // Core decides whether a late approval of an invocation counts.
    answerInvocation(row, choice, actor, set, context);
    return true;
  }
  const task = set.get('tasks', work.task);
  if (!task) return true;
  if (context.now >= row.until) {
    approvalDue(row.id, set, context);
    return false;
  }
  context.lock(chainLock(task.chain_id));
  const state = outcomes[choice]!;
  const answered = set.update('approvals', row, { state, answered_at: context.now, answered_lease: task.lease });
  recordAnswer({ row, about: task, choice, outcome: state, actor }, set, context);
  if (choice === 'always' && row.target_id !== null) approvePair(row.agent_id, row.target_id, actor, set, context);
  if (state === 'approved') extendChain(task.chain_id, task.id, set, context);
  resumeWith(task, answered, set, context);
  return true;
}

function approvePair(agentId: string, targetId: string, actor: Actor, set: WorkingSet, context: Context): void {
  if (set.get('approved_pairs', agentId, targetId)) return;
  set.insert('approved_pairs', { agent_id: agentId, target_id: targetId, approved_by: actorId(actor), at: context.now });
  append(set, context, { type: 'contact.approved', actor, ...aboutMember(agentId), data: { target: targetId } });
}

/** It goes on in a new turn (C2A-9). A task that waits for its requester's reply goes on with that. */
function resumeWith(task: TaskRow, { id, state }: ApprovalRow, set: WorkingSet, context: Context): void {
  if (!isOpen(task.state)) return;
  const data = { approval: id, state };
  const waits = task.state === 'awaiting_approval' || task.state === 'awaiting_delegation';
  if (waits) moveTask(task, 'resume', {}, set, context, data);
  else if (task.state === 'active') interruptWithAnswer(task, data, set, context);
  settleChain(task.chain_id, set, context);
}

/** Time for a reminder, or nobody has answered for as long as anybody is asked. */
export function approvalDue(id: string, set: WorkingSet, context: Context): void {
  const row = set.get('approvals', id);
  if (!row || row.state !== 'pending') return;
  if (row.why === 'unknown' && context.now >= row.until) return leaveUnknown(row, set, context);
  const work = workOf(row);
  if ('invocation' in work) return invocationDue(row, set, context);
  const task = set.get('tasks', work.task);
  if (!task) return;
  context.lock(chainLock(task.chain_id));
  if (context.now < row.until) return remindOf(row, task, set, context);
  // The chain is over at the same moment, and ends all that is in it.
  if (context.now >= set.get('chains', task.chain_id)!.outer_at) return;
  auditExpiry({ row, chainId: task.chain_id, conversationId: task.conversation_id }, set, context);
  resumeWith(task, withdraw(row, task.lease, set, context), set, context);
}

function remindOf(row: ApprovalRow, task: TaskRow, set: WorkingSet, context: Context): void {
  const home = homeOf(task.conversation_id, set);
  // The member who answers for the agent need not be where it works.
  const isIn = set.get('memberships', home.id, set.get('checkpoints', row.id)!.member_id) !== undefined;
  const notice = { conversation: isIn ? task.conversation_id : '', task: task.id };
  remind(row, { home: home.id, chainId: task.chain_id, notice }, set, context);
}

/** A message is deleted: what an agent wrote with it before its eyes is not kept for anybody. */
export function forgetAsked(messageId: string, set: WorkingSet, context: Context): void {
  for (const { task_id } of set.find('task_words', 'message', messageId)) {
    if (set.find('approvals', 'whole', task_id).length === 0) continue;
    const task = set.get('tasks', task_id)!;
    context.lock(chainLock(task.chain_id));
    const asked = set.find('approvals', 'whole', task_id).some(({ state }) => state === 'pending');
    leaveAsked(task_id, set, context);
    endApprovals(task_id, set, context);
    for (const { id } of set.find('approvals', 'whole', task_id)) forgetInput(id, set);
    // It is not told that nobody answered: it makes up its mind again, without those words.
    if (asked && task.state === 'awaiting_approval') {
      moveTask(task, 'resume', {}, set, context, { why: 'message_deleted' });
      settleChain(task.chain_id, set, context);
    }
  }
}

/** Nor is a person shown any more what such a call was given. */
function leaveAsked(taskId: string, set: WorkingSet, context: Context): void {
  for (const { id, state, why } of set.find('approvals', 'whole', taskId)) {
    const { step } = why === 'unknown' && state === 'pending' ? dataOf(set.get('checkpoints', id)!) : {};
    if (step) settleUnknown(step, 'leave', set, context);
  }
}

const chainsOf = (messageId: string, set: WorkingSet): string[] => {
  const asked = set.find('tasks', 'message', messageId);
  const said = set.find('task_words', 'message', messageId).flatMap(({ task_id }) => set.get('tasks', task_id) ?? []);
  return [...new Set([...asked, ...said].map(({ chain_id }) => chain_id))];
};

/** What that looks at, of many at once. */
export function gatherAnswered(messageIds: readonly string[], set: WorkingSet): void {
  const chains = [...new Set(messageIds.flatMap((id) => chainsOf(id, set)))];
  set.need(chains.flatMap((id) => [wantBy('tasks', 'chain', id, 0), auditChainWant(id)]));
  set.need(chains.flatMap((id) => set.find('tasks', 'chain', id, 0)).map(({ id }) => wantBy('approvals', 'whole', id)));
}

/** Nor is what was answered in the chains it was said in, though they are over: any agent of them may have had the words. */
export function forgetAnswered(messageId: string, set: WorkingSet, context: Context): void {
  for (const chainId of chainsOf(messageId, set)) {
    eraseAuditArguments(chainId, set);
    const kept = set
      .find('tasks', 'chain', chainId, 0)
      .flatMap(({ id }) => set.find('approvals', 'whole', id))
      .filter(({ input }) => input !== 'null');
    if (kept.length > 0) context.lock(chainLock(chainId));
    for (const { id } of kept) forgetInput(id, set);
  }
}

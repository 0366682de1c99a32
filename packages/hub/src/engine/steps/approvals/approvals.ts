// A call that awaits a person's approval (IAC-14, SYS-13). An approval is for one call with exactly these arguments, and is
// used up by it; with others it is another call. All of it is rows: a restart in between changes nothing.

import { createHash } from 'node:crypto';
import { type Actor, approverOf, type ApprovalWhy, canonical, dueAt, type BehaviourMode, behaviourModes } from '@parley/core';
import { type AuditOutcome, ParleyError } from '@parley/protocol';
import type { FactData, NoticeData } from '../../../store/fact-data.ts';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { ApprovalRow, TaskRow, ContactRuleRow, MemberRow } from '../../../store/tables.ts';
import { storedState, wordOf, workRef } from '../../../store/stored-values.ts';
import { storedActor, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { aboveIn } from '../people/managers.ts';
import { auditAnswer, auditedFact, redactedFor } from '../facts/audit-entries.ts';
import { type CheckpointData, close, inboxLock, openCheckpoint, dataOf, giveCheckpoint } from '../facts/checkpoints.ts';
import { notify, append } from '../facts/append.ts';
import { setTimer } from '../facts/timers.ts';
import { audienceOf } from '../conversations/egress.ts';

export interface ApprovalCall {
  task: TaskRow;
  agentId: string;
  name: string;
  input: object;
  why: ApprovalWhy;
  /** The target of a contact. Only a pair can be approved for good. */
  pair?: string;
}

export const digestOf = ({ name, input }: Pick<ApprovalCall, 'name' | 'input'>): string =>
  createHash('sha256')
    .update(canonical([name, input]))
    .digest('base64url');

/** The approver: a person who reads what the agent would do. Undefined: there is nobody. */
export function approverFor(agentId: string, set: WorkingSet): string | undefined {
  const { memberOf, ...above } = aboveIn(null, set);
  // A guest answers for no agent (see `person`), so not for its acts either, even as its manager.
  const isGuest = (id: string): boolean => set.get('members', id)?.role === 'guest';
  return approverOf(agentId, { ...above, memberOf: (id) => (isGuest(id) ? { ...memberOf(id)!, active: false } : memberOf(id)) });
}

/** The rows that every end of a turn looks at. */
export const approvalWants = (taskId: string): Want[] => [wantBy('approvals', 'whole', taskId)];

/** `granted`: this very call was approved, and the approval is used up now. `pending`: somebody is asked, once. */
export function approvalFor(call: ApprovalCall, tx: Tx): 'granted' | 'pending' | 'denied' {
  const digest = digestOf(call);
  const all = tx.find('approvals', 'whole', call.task.id);
  // The outcome of an earlier call is another question than whether this one may be made.
  const sameCalls = all.filter((row) => row.agent_id === call.agentId && row.digest === digest && row.why !== 'unknown');
  const approved = sameCalls.find(({ state }) => state === 'approved');
  if (approved) {
    const [turn] = tx.find('turns', 'task', call.task.id, 'running');
    tx.update('approvals', approved, { state: 'used', used_in: turn?.id ?? null });
    return 'granted';
  }
  if (sameCalls.some(({ state }) => state === 'denied')) return 'denied';
  if (sameCalls.some(({ state }) => state === 'pending')) return 'pending';
  // With too many open approvals, none is opened; a repetition of the call opens one after some are answered.
  const waiting = all.filter(({ state }) => state === 'pending').length;
  if (waiting < tx.limits.approvals.most) ask(call, digest, tx);
  return 'pending';
}

/** The approval that the call in hand has just used up. */
export function usedApproval(taskId: string, call: Pick<ApprovalCall, 'name' | 'input'>, set: WorkingSet): ApprovalRow | undefined {
  const digest = digestOf(call);
  return set
    .find('approvals', 'whole', taskId)
    .filter((row) => row.state === 'used' && row.digest === digest)
    .toSorted((a, b) => (a.answered_at ?? 0) - (b.answered_at ?? 0))
    .at(-1);
}

function ask({ task, agentId, name, input, why, pair }: ApprovalCall, digest: string, tx: Tx): void {
  const approver = approverFor(agentId, tx);
  if (approver === undefined) throw new ParleyError('needs_approval', 'Nobody can approve it.');
  const data = {
    ...(pair === undefined ? {} : { pair }),
    ...(why === 'taint' || why === 'private' ? { once: true as const } : {}),
  };
  const until = untilFor(task.chain_id, tx);
  const call = { agent_id: agentId, name, target_id: pair ?? null, digest, input: JSON.stringify(input), why, until };
  askPerson({ kind: 'approval', approver, about: task, call, data }, tx);
}

/** A question ends with its chain. */
export const untilFor = (chainId: string, tx: Tx): number =>
  Math.min(tx.now + tx.limits.approvals.expireMs, tx.get('chains', chainId)?.outer_at ?? Infinity);

/** An invocation has neither conversation nor message. */
export interface AskedWork {
  id: string;
  chain_id: string;
  conversation_id?: string;
  message_id?: string;
}

interface ApprovalRequest {
  kind: 'approval' | 'may_have_happened';
  approver: string;
  about: AskedWork;
  call: Pick<ApprovalRow, 'agent_id' | 'name' | 'target_id' | 'digest' | 'input' | 'why' | 'until'>;
  data: Omit<CheckpointData, 'agents'>;
  fact?: Pick<FactData['approval.asked'], 'version' | 'of'>;
}

/** The timer reminds the approver, and later lets the approval expire. */
export function askPerson({ kind, approver, about, call, data, fact }: ApprovalRequest, tx: Tx): ApprovalRow {
  tx.lock(inboxLock(approver));
  const work = { conversationId: about.conversation_id, messageId: about.message_id, chainId: about.chain_id, subjectId: about.id };
  const { id } = openCheckpoint({ kind, for: approver, ...work, data: { agents: [call.agent_id], ...data } }, tx);
  const unanswered = { state: 'pending', reminded: 0, answered_at: null, answered_lease: null, used_in: null } as const;
  const row: ApprovalRow = { id, task_id: about.id, ...call, ...unanswered, at: tx.now };
  tx.insert('approvals', row);
  setTimer('approval.due', id, 'wall', dueAt(row, tx.limits.approvals), tx, true);
  append(tx, {
    type: 'approval.asked',
    member_id: call.agent_id,
    subject_id: id,
    chain_id: about.chain_id,
    data: { ...workRef(about.id), name: call.name, why: call.why, ...(call.target_id === null ? {} : { target: call.target_id }), ...fact },
  });
  return row;
}

/** Answered in this very turn, and not made use of: another turn is to hear of it. */
export const answeredIn = ({ id, lease }: TaskRow, set: WorkingSet): boolean =>
  set.find('approvals', 'whole', id).some((row) => row.state !== 'used' && row.answered_lease !== null && row.answered_lease >= lease);

/**
 * The agent no longer has the task, or the task has ended: nobody is asked any more. A person can still read their own
 * answers; of the rest not a word stays.
 */
export function endApprovals(taskId: string, tx: Tx): void {
  for (const row of tx.find('approvals', 'whole', taskId)) {
    if (row.state === 'pending') withdraw(row, 0, tx);
    if (row.state === 'pending' || wordOf(row.state) === 'expired') forgetInput(row.id, tx);
    else if (row.state === 'approved') tx.update('approvals', row, { state: storedState('expired') });
  }
}

export function forgetInput(id: string, set: WorkingSet): void {
  const row = set.get('approvals', id)!;
  if (row.input !== 'null') set.update('approvals', row, { input: 'null' });
}

/** `home` is null where the approval is about no conversation. */
export function remind(
  row: ApprovalRow,
  { home, chainId, notice }: { home: string | null; chainId: string; notice: Omit<NoticeData, 'kind' | 'agent'> },
  tx: Tx,
): void {
  const next = tx.update('approvals', row, { reminded: row.reminded + 1 });
  setTimer('approval.due', row.id, 'wall', dueAt(next, tx.limits.approvals), tx, true);
  const approverId = tx.get('checkpoints', row.id)!.member_id;
  notify(approverId, home, { ...notice, kind: 'approval_due', agent: row.agent_id }, tx, chainId);
}

export function recordAnswer(
  { row, about, choice, outcome, actor }: { row: ApprovalRow; about: AskedWork; choice: string; outcome: AuditOutcome; actor: Actor },
  tx: Tx,
): void {
  const { chain_id: chainId, conversation_id: conversationId } = about;
  setTimer('approval.due', row.id, 'wall', null, tx);
  const data = { ...workRef(about.id), choice, ...auditedFact };
  const fact = append(tx, { type: 'approval.answered', actor, member_id: row.agent_id, subject_id: row.id, chain_id: chainId, data });
  auditAnswer({ row, chainId, conversationId: conversationId ?? null, actorId: storedActor(actor), outcome }, fact, tx);
}

export function closeQuestion({ id }: ApprovalRow, tx: Tx): void {
  const checkpoint = tx.get('checkpoints', id);
  if (checkpoint?.open !== 1) return;
  tx.lock(inboxLock(checkpoint.member_id));
  close(checkpoint, null, null, tx);
}

/** `lease` is that of the task; an invocation has none. */
export function withdraw(row: ApprovalRow, lease: number | null, tx: Tx): ApprovalRow {
  closeQuestion(row, tx);
  setTimer('approval.due', row.id, 'wall', null, tx);
  return tx.update('approvals', row, { state: storedState('expired'), answered_at: tx.now, answered_lease: lease });
}

// An approval for good of a pair of agents (IAC-14). The approval covers the rights that the two had then: a change of
// rights asks again.

function drop(agentId: string, set: WorkingSet, which: (targetId: string) => boolean): void {
  for (const pair of set.find('approved_pairs', 'agent', agentId)) if (which(pair.target_id)) set.remove('approved_pairs', pair);
}

/** A line is written, or taken away. The one for all decides only where no line of its own does. */
export function lineChanged(agentId: string, target: string, rule: ContactRuleRow | undefined, set: WorkingSet): void {
  if (target !== '*') return drop(agentId, set, (id) => id === target);
  if (rule === undefined || (rule.permission === 'allow' && rule.requires_approval === 0)) return;
  const own = new Set(set.find('contact_rules', 'agent', agentId).map((line) => line.target));
  drop(agentId, set, (id) => !own.has(id));
}

export function modeChanged(agentId: string, from: BehaviourMode, to: BehaviourMode, set: WorkingSet): void {
  if (behaviourModes.indexOf(to) > behaviourModes.indexOf(from)) drop(agentId, set, () => true);
}

// Another person answers for an agent: open approvals, and calls that may have happened, are put to them instead (SYS-14).

/** Makes the change, and hands over open approvals where the approver is another one after it. */
export function withApprovals(agentId: string, edit: () => MemberRow, tx: Tx): MemberRow {
  const before = approverFor(agentId, tx);
  const changed = edit();
  const now = approverFor(agentId, tx);
  if (before !== undefined && now !== undefined && before !== now) handApprovals(agentId, before, now, tx);
  return changed;
}

function handApprovals(agentId: string, from: string, to: string, tx: Tx): void {
  tx.lock(inboxLock(from), inboxLock(to));
  const open = tx.find('checkpoints', 'member', from, 1);
  const checkpoints = open.filter(
    (row) => (row.kind === 'approval' || row.kind === 'may_have_happened') && dataOf(row).agents?.[0] === agentId,
  );
  tx.need(checkpoints.map(({ id }) => wantRow('approvals', id)));
  for (const row of checkpoints) {
    const approval = tx.get('approvals', row.id);
    // The arguments were shown as the earlier approver may read them.
    if (approval && row.chain_id !== null) {
      const input: unknown = JSON.parse(approval.input);
      tx.update('approvals', approval, { input: JSON.stringify(redactedFor(audienceOf([to], tx), input, row.chain_id, tx)) });
    }
    giveCheckpoint(row, to, tx);
  }
}

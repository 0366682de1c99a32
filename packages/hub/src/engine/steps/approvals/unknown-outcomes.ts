// A call that may have happened (SYS-12): its approver is asked what became of it. The answer is written into the journal,
// where the turn finds it when it goes on.

import { confirmedText, movedInvocation, type UnknownChoice } from '@parley/core';
import { storedState, wordOf } from '../../../store/stored-values.ts';
import type { InvocationRow, JournalRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { approverFor, type AskedWork, askPerson, digestOf, untilFor } from './approvals.ts';
import { endAudit, redactedFor } from '../facts/audit-entries.ts';
import { inboxLock, type StepRef } from '../facts/checkpoints.ts';
import { audienceOf } from '../conversations/egress.ts';

/** Stored as the step's result. */
export const unknownOutcome = '{"unknown":true}';
export const confirmedOutcome = '{"confirmed":true}';
/** The call is under way until it was made again. */
export const againOutcome = '{"again":true}';

interface AskedCall {
  task: AskedWork;
  agentId: string;
  step: JournalRow;
}

/**
 * Asks a person about a call, and returns who that is; undefined: there is nobody. A call that somebody is asked about
 * already is not asked about again.
 */
export function askAboutCall({ task, agentId, step }: AskedCall, tx: Tx): string | undefined {
  const approver = approverFor(agentId, tx);
  if (approver === undefined) return undefined;
  tx.lock(inboxLock(approver));
  const ref: StepRef = { turn: step.turn_id, n: step.n };
  const open = pendingFor(task.id, ref, tx);
  if (open !== undefined) return open;
  const stepInput = JSON.parse(step.input) as unknown;
  const input = typeof stepInput === 'object' && stepInput !== null ? stepInput : { input: stepInput };
  const call = {
    agent_id: agentId,
    name: step.name,
    target_id: null,
    digest: digestOf({ name: step.name, input }),
    input: JSON.stringify(redactedFor(audienceOf([approver], tx), input, task.chain_id, tx)),
    why: 'unknown',
    until: untilFor(task.chain_id, tx),
  } as const;
  askPerson({ kind: 'may_have_happened', approver, about: task, call, data: { once: true, step: ref }, fact: { of: approver } }, tx);
  return approver;
}

function pendingFor(taskId: string, { turn, n }: StepRef, set: WorkingSet): string | undefined {
  const pending = set.find('approvals', 'whole', taskId).filter(({ state, why }) => state === 'pending' && why === 'unknown');
  for (const { id } of pending) {
    const checkpoint = set.get('checkpoints', id);
    const { step } = JSON.parse(checkpoint?.data ?? '{}') as { step?: StepRef };
    if (step?.turn === turn && step.n === n) return checkpoint!.member_id;
  }
  return undefined;
}

const isUndecided = ({ done_at, result }: JournalRow): boolean => done_at === null && result === null;

/** Stores the person's answer for the brain that comes to this step of a turn again. */
export function settleUnknown({ turn, n }: StepRef, choice: UnknownChoice, tx: Tx): void {
  const step = tx.get('journal', turn, n);
  if (!step || !isUndecided(step)) return;
  if (choice === 'again') tx.update('journal', step, { result: againOutcome });
  else tx.update('journal', step, { result: choice === 'did' ? confirmedOutcome : unknownOutcome, done_at: tx.now });
  settleAudit({ turn, n }, choice, tx);
}

/** Stores the person's answer for the next attempt that makes the same call. */
export function settleUnknownAttempt({ turn, n }: StepRef, choice: UnknownChoice, tx: Tx): void {
  const step = tx.get('journal', turn, n);
  if (!step || !isUndecided(step)) return;
  const result = choice === 'did' ? { result: JSON.stringify({ text: confirmedText(step.name) }) } : { input: 'null' };
  tx.update('journal', step, { ...result, done_at: tx.now });
  settleAudit({ turn, n }, choice, tx);
}

/** A repetition in a turn is the same entry; another attempt makes a new one. */
function settleAudit({ turn, n }: StepRef, choice: UnknownChoice, tx: Tx): void {
  if (choice === 'did') endAudit(`${turn}:${n}`, 'done', tx);
}

/** An attempt was lost in a call: the invocation waits for what a person says. Undefined: there is nobody to ask. */
export function askAboutAttempt(row: InvocationRow, step: JournalRow, error: string, tx: Tx): InvocationRow | undefined {
  if (row.agent_id === null) return undefined;
  if (askAboutCall({ task: row, agentId: row.agent_id, step }, tx) === undefined) return undefined;
  const approval = tx.find('approvals', 'whole', row.id).find(({ state, why }) => state === 'pending' && why === 'unknown')!;
  const now = tx.get('invocations', row.id)!;
  const state = storedState(movedInvocation(wordOf(now.state), 'awaiting_approval'));
  return tx.update('invocations', now, { state, open: 1, checkpoint_id: approval.id, due_at: approval.until, error });
}

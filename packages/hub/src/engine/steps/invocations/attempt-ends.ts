// An attempt has ended: core decides what follows it (PRV-14, PRV-15). The last one ends with an event, which comes in the
// way every event does, in the same transaction.

import { audits, textsIn } from '@parley/core';
import type { AttemptEnd } from '@parley/core/provoke';
import type { Manifest } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { endAudit } from '../facts/audit-entries.ts';
import { deliver } from './result-deliveries.ts';
import { audienceOf, withheldFact, withheldIn } from '../conversations/egress.ts';
import { acceptEvent } from './accept-event.ts';
import { auditIdOf, forgetSteps, leftOpen, takenIn } from './journal.ts';
import { invocationFact, moveInvocation, retryAt } from './transitions.ts';
import { notifyOwner } from './owner-notices.ts';
import { append } from '../facts/append.ts';
import { manifestOf } from './acting-agent.ts';
import { settleChain } from '../tasks/tasks.ts';
import { askAboutAttempt } from '../approvals/unknown-outcomes.ts';

const platform = { type: 'platform' } as const;

function endAttempt(row: InvocationRow, end: AttemptEnd, error: string | null, tx: Tx): InvocationRow {
  forgetSteps(row, tx);
  const attempt = tx.get('invocation_attempts', row.id, row.attempt)!;
  tx.update('invocation_attempts', attempt, { state: end, error, ended_at: tx.now });
  return tx.get('invocations', row.id)!;
}

export function failAttempt(
  row: InvocationRow,
  manifest: Manifest | undefined,
  end: Exclude<AttemptEnd, 'succeeded' | 'denied'>,
  error: string,
  tx: Tx,
): InvocationRow {
  const { core } = tx.provoke;
  const open = leftOpen(row, tx);
  if (audits(row.risk)) for (const { kind, n } of open) if (kind === 'tool') endAudit(auditIdOf(row, n), 'unknown', tx);
  const unknown = open.find((step) => core.mayHaveHappened(takenIn(step)));
  const reason = unknown ? `${error} It is not known whether ${unknown.name} happened.` : error;
  const now = endAttempt(row, end, reason, tx);
  const waiting = unknown && askAboutAttempt(now, unknown, reason, tx);
  if (waiting) {
    invocationFact('awaiting_approval', waiting, { reason: 'may_have_happened' }, tx);
    return waiting;
  }
  const after = manifest && core.afterAttempt(manifest, row.attempt, end, tx.now, unknown !== undefined);
  if (after?.next === 'retry') return retryAt(tx.update('invocations', now, { error: reason }), after.at, tx, end);
  return failFor(now, manifest, unknown ? 'may_have_happened' : end, reason, tx);
}

function failFor(row: InvocationRow, manifest: Manifest | undefined, reason: string, error: string, tx: Tx): InvocationRow {
  const failed = moveInvocation(row, 'failed', { due_at: null, error }, tx, reason);
  notifyOwner(failed, manifest, reason, tx);
  emitEnd(failed, manifest?.on_failure.emit_event, error, tx);
  return failed;
}

/** A call of it may have happened, and is left at that: nothing is tried again. */
export const failUnknown = (row: InvocationRow, tx: Tx): InvocationRow =>
  failFor(row, manifestOf(row, tx), 'may_have_happened', row.error ?? '', tx);

/**
 * The next step cannot be done, whatever it is (another attempt, an event, a notice to the owner): the invocation has
 * failed, and nothing follows.
 */
export function giveUp(row: InvocationRow, end: Exclude<AttemptEnd, 'succeeded' | 'denied'>, error: string, tx: Tx): InvocationRow {
  leftOpen(row, tx);
  const failed = moveInvocation(endAttempt(row, end, error, tx), 'failed', { due_at: null, error }, tx, end);
  emitEnd(failed, undefined, null, tx);
  return failed;
}

/** The output is serialized once, because a command is decided several times. */
export interface InvocationOutput {
  value: unknown;
  json: string;
}

export function succeed(
  row: InvocationRow,
  manifest: Manifest | undefined,
  { value: output, json }: InvocationOutput,
  tx: Tx,
): InvocationRow {
  const [owner, agent] = [tx.get('members', row.owner_id), tx.get('members', row.agent_id!)];
  const delivery =
    manifest && owner?.status === 'active' && agent?.status === 'active' ? { invocation: row, manifest, owner, agent, output } : undefined;
  const refused = delivery ? deliver(delivery, tx) : { error: 'Its owner, its agent or its manifest is not there any more.' };
  if (refused?.offline) return failAttempt(row, manifest, 'agent_offline', refused.error, tx);
  tx.update('invocations', tx.get('invocations', row.id)!, { output: json });
  if (refused !== undefined) {
    // Another attempt would end the same way: the result is on record, and goes nowhere.
    const { error } = refused;
    const failed = moveInvocation(endAttempt(row, 'succeeded', error, tx), 'failed', { error }, tx, 'not_delivered');
    notifyOwner(failed, manifest, 'not_delivered', tx);
    emitEnd(failed, manifest?.on_failure.emit_event, error, tx);
    return failed;
  }
  const completed = moveInvocation(endAttempt(row, 'succeeded', null, tx), 'completed', { error: null }, tx);
  emitEnd(completed, manifest?.on_complete.emit_event, output, tx);
  return completed;
}

/** Any owner's trigger may read it: it holds no value of a person's own (SYS-6), the words of a failure included. */
function withoutPrivateValues(row: InvocationRow, said: unknown, tx: Tx): unknown {
  const anybody = () => audienceOf([], tx, true);
  const withheld = withheldIn(() => textsIn(said).join('\n'), row.chain_id, anybody, tx);
  if (!withheld) return said;
  append(tx, withheldFact(row, withheld));
  return null;
}

function emitEnd(row: InvocationRow, type: string | undefined, output: unknown, tx: Tx): void {
  if (type !== undefined) {
    const { event_id: id, type: eventType } = tx.get('events', row.event_ref)!;
    const endEvent = tx.provoke.core.endEvent(
      type,
      {
        invocationId: row.id,
        triggerId: row.trigger_id,
        agentId: row.manifest_id,
        event: { id, type: eventType },
        attempts: row.attempt,
        state: row.state === 'completed' ? 'completed' : 'failed',
        output: withoutPrivateValues(row, output, tx),
      },
      tx.now,
    );
    acceptEvent({ event: endEvent, via: 'invocation', emitter: row }, platform, tx);
  }
  // A chain without open work is over, until another invocation continues it.
  if (tx.get('chains', row.chain_id)) settleChain(row.chain_id, tx);
}

// A person's approval before an invocation of high risk runs (PRV-11). The approval covers this event, this version of the
// manifest and the trigger's input, and nothing that changed since; `core` decides what a late approval is worth.

import {
  type Actor,
  afterApproval,
  type AfterApproval,
  needsApprovalByMode,
  type ApprovalScope,
  canonical,
  type CurrentDefinitions,
  movedInvocation,
} from '@parley/core';
import { type Manifest, ParleyError } from '@parley/protocol';
import type { ApprovalRow, EventRow, InvocationRow, ProvokeObjectRow } from '../../../store/tables.ts';
import { storedState, wordOf, workId, workOf } from '../../../store/stored-values.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { modeOf } from '../agents/agents.ts';
import { approverFor, askPerson, forgetInput, recordAnswer, remind, withdraw } from '../approvals/approvals.ts';
import { auditExpiry } from '../facts/audit-entries.ts';
import { chainLock, extendChain } from '../tasks/chains.ts';
import { endIdleNotices, manifestIdOf, notifyIdle } from '../triggers/idle-triggers.ts';
import { isUsable, mayRun } from '../triggers/triggers-in-force.ts';
import { closeInvocation, invocationFact, moveInvocation } from './transitions.ts';
import { notifyOwner } from './owner-notices.ts';
import { actingAgent, manifestOf } from './acting-agent.ts';
import { sha256 } from '../../ids.ts';

const argumentsOf = (trigger: ProvokeObjectRow): string => sha256(canonical([trigger.id, manifestIdOf(trigger), trigger.owner_id]));

const digestOf = ({ eventDigest, manifestVersion, argumentsDigest }: ApprovalScope): string =>
  [eventDigest, manifestVersion, argumentsDigest].join('.');

function boundBy(digest: string): ApprovalScope {
  const [eventDigest = '', version, argumentsDigest = ''] = digest.split('.');
  return { eventDigest, manifestVersion: Number(version), argumentsDigest };
}

/** Null: the trigger, or what it wakes, is not there any more. */
function inForceFor(invocation: InvocationRow, set: WorkingSet): CurrentDefinitions | null {
  const trigger = set.get('provoke_objects', 'trigger', invocation.trigger_id);
  const event = set.get('events', invocation.event_ref);
  if (!trigger || trigger.removed_at !== null || !event) return null;
  const manifest = set.get('provoke_objects', 'manifest', manifestIdOf(trigger));
  if (!manifest || manifest.removed_at !== null) return null;
  const owner = set.get('members', trigger.owner_id);
  return {
    // A trigger whose owner may no longer run it is as good as switched off.
    enabled: trigger.enabled === 1 && owner !== undefined && mayRun(owner) && isUsable(manifest, trigger, owner, set),
    eventDigest: sha256(event.body),
    manifestVersion: manifest.version,
    argumentsDigest: argumentsOf(trigger),
  };
}

/** The effect that an approval would have now. */
export const worthOf = (row: ApprovalRow, invocation: InvocationRow, set: WorkingSet, now: number): AfterApproval =>
  afterApproval(boundBy(row.digest), row.until, inForceFor(invocation, set), now);

export const modeAsks = (agentId: string, { tools }: Manifest, set: WorkingSet): boolean =>
  needsApprovalByMode(modeOf(agentId, set), tools);

/** Whether the approval is about the start of an invocation, and not about the outcome of a call in it. */
export const asksToRun = (row: ApprovalRow): boolean => 'invocation' in workOf(row) && row.why !== 'unknown';

interface Asking {
  invocation: InvocationRow;
  event: Pick<EventRow, 'id' | 'body'>;
  trigger: ProvokeObjectRow;
  manifest: ProvokeObjectRow;
}

/** Asks the person above its agent, or the one who answers for it. Nobody there: it cannot be run. */
export function askForApproval({ invocation, event, trigger, manifest }: Asking, tx: Tx, why: 'risk' | 'mode' = 'risk'): InvocationRow {
  const { limits, now } = tx;
  const owner = tx.get('members', invocation.owner_id)!;
  const body = JSON.parse(manifest.body) as Manifest;
  const agent = actingAgent(body, owner, tx);
  const approver = agent && approverFor(agent.id, tx);
  if (!agent || approver === undefined) {
    notifyIdle(trigger, owner, tx, agent ? 'no_approver' : 'no_agent');
    return closeInvocation(invocation, 'cancelled', { error: agent ? 'Nobody can approve it.' : noAgent(body) }, tx);
  }
  endIdleNotices(manifest, owner, tx);
  const bound = { eventDigest: sha256(event.body), manifestVersion: manifest.version, argumentsDigest: argumentsOf(trigger) };
  const call = {
    agent_id: agent.id,
    name: body.id,
    target_id: null,
    digest: digestOf(bound),
    // The event is looked up when it is shown: once it is erased, it is shown no more.
    input: JSON.stringify({
      eventRef: event.id,
      trigger: trigger.id,
      version: manifest.version,
      risk: body.risk_level,
      tools: body.tools,
      to: body.deliver_to ?? null,
    }),
    why,
    until: now + limits.approvals.expireMs,
  };
  const fact = { version: manifest.version, of: approver };
  const row = askPerson({ kind: 'approval', approver, about: invocation, call, data: { once: true }, fact }, tx);
  // The approval is for the version in force now, with its risk and its attempts.
  const version = {
    manifest_version: manifest.version,
    risk: tx.provoke.core.effectiveRisk(body).level,
    attempts: body.on_failure.retry.max_attempts,
  };
  const change = { agent_id: agent.id, checkpoint_id: row.id, due_at: row.until, error: null, ...version };
  const state = storedState(movedInvocation(wordOf(invocation.state), 'awaiting_approval'));
  return tx.update('invocations', invocation, { ...change, state, open: 1, ended_at: null });
}

export const noAgent = ({ handle }: Pick<Manifest, 'handle'>): string =>
  handle === undefined
    ? 'Its agent was deactivated, or no name is left for one, or its owner has as many agents as they may have.'
    : `There is no agent ${handle}, or it is not for its owner to send.`;

/** The one that is asked about, if it still is. */
function waiting(row: ApprovalRow, set: WorkingSet): InvocationRow | undefined {
  const invocation = set.get('invocations', workId(workOf(row)));
  return invocation?.state === 'awaiting_approval' && invocation.checkpoint_id === row.id ? invocation : undefined;
}

/** The first answer counts; the caller closes the checkpoint. */
export function answerInvocation(row: ApprovalRow, choice: string, actor: Actor, tx: Tx): void {
  const invocation = waiting(row, tx);
  if (!invocation) return;
  recordAnswer({ row, about: invocation, choice, outcome: choice === 'deny' ? 'denied' : 'approved', actor }, tx);
  const answerFields = { answered_at: tx.now, input: 'null' };
  if (choice === 'deny') {
    tx.update('approvals', row, { ...answerFields, state: 'denied' });
    closeInvocation(invocation, 'denied', { error: 'A person said no.' }, tx);
    return;
  }
  const after = worthOf(row, invocation, tx, tx.now);
  tx.update('approvals', row, { ...answerFields, state: storedState(after.run ? 'used' : 'expired') });
  if (after.run) {
    moveInvocation(invocation, 'queued', { due_at: null }, tx);
    extendChain(invocation.chain_id, invocation.id, tx);
  } else if (after.reason === 'expired') expire(invocation, late.expired, tx);
  else closeInvocation(invocation, after.again ? 'expired' : 'cancelled', { error: late[after.reason] }, tx, after.reason);
}

/** The approval expired. The owner of the request may be another person than the approver. */
function expire(invocation: InvocationRow, error: string, tx: Tx): void {
  const expired = closeInvocation(invocation, 'expired', { error }, tx, 'expired');
  notifyOwner(expired, manifestOf(expired, tx), 'expired', tx);
}

const late = {
  expired: 'It was approved after the deadline.',
  disabled: 'It was switched off before it was approved, or its owner may no longer run it.',
  gone: 'The trigger or its manifest was removed before it was approved.',
  event_changed: 'It is not the event that was shown.',
  manifest_changed: 'The manifest was changed after it was shown.',
  arguments_changed: 'The trigger names another manifest by now.',
} as const;

/** Time for a reminder, or nobody has answered for as long as anybody is asked. */
export function invocationDue(row: ApprovalRow, tx: Tx): void {
  const invocation = waiting(row, tx);
  if (!invocation) return;
  if (tx.now < row.until) return remind(row, { home: null, chainId: invocation.chain_id, notice: { conversation: '' } }, tx);
  auditExpiry({ row, chainId: invocation.chain_id, conversationId: null }, tx);
  withdraw(row, null, tx);
  forgetInput(row.id, tx);
  expire(invocation, 'Nobody answered in time.', tx);
}

/**
 * Asks again after the approval expired, or the shown definitions changed: for the same event, and the definitions in force
 * now.
 */
export function askAgain(invocation: InvocationRow, tx: Tx): InvocationRow {
  if (wordOf(invocation.state) !== 'expired') throw new ParleyError('not_expired');
  const current = inForceFor(invocation, tx);
  if (!current?.enabled) throw new ParleyError('not_in_force');
  tx.lock(chainLock(invocation.chain_id));
  const trigger = tx.get('provoke_objects', 'trigger', invocation.trigger_id)!;
  const manifest = tx.get('provoke_objects', 'manifest', manifestIdOf(trigger))!;
  const change = { manifest_id: manifest.id, owner_id: trigger.owner_id, trigger_version: trigger.version };
  const now = tx.update('invocations', invocation, change);
  // Nobody would be asked for a lower risk, were it not for its agent's mode.
  const why = tx.provoke.core.effectiveRisk(JSON.parse(manifest.body) as Manifest).approval ? 'risk' : 'mode';
  const waiting = askForApproval({ invocation: now, event: tx.get('events', invocation.event_ref)!, trigger, manifest }, tx, why);
  invocationFact('asked_again', waiting, {}, tx);
  return waiting;
}

/** A pending approval that nobody needs any more is taken out of the inbox. */
export function withdrawApproval(invocation: InvocationRow, tx: Tx): void {
  const row = invocation.checkpoint_id === null ? undefined : tx.get('approvals', invocation.checkpoint_id);
  if (row?.state !== 'pending') return;
  withdraw(row, null, tx);
  forgetInput(row.id, tx);
}

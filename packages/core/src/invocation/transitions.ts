// How an invocation moves from state to state, and which of them a person approves first.

import { type InvocationState, type Manifest, type RiskLevel, riskLevels } from '@parley/protocol';

// The states of an invocation, and how it moves from one to another.

/** Every move, by the state that it starts from; no other move exists. */
export const invocationMoves: Readonly<Record<InvocationState, readonly InvocationState[]>> = {
  // Calls that may have happened are asked about one after the other.
  awaiting_approval: ['awaiting_approval', 'queued', 'failed', 'expired', 'denied', 'cancelled'],
  queued: ['running', 'awaiting_approval', 'cancelled'],
  running: ['completed', 'failed', 'waiting_retry', 'queued', 'awaiting_approval', 'cancelled'],
  waiting_retry: ['queued', 'cancelled'],
  // A person retries it: it is asked for again, or there is nobody to ask.
  expired: ['awaiting_approval', 'cancelled'],
  completed: [],
  failed: [],
  denied: [],
  cancelled: [],
};

/** The state that it moves to; throws for a move that the table does not have, as only a defect asks for one. */
export function movedInvocation(from: InvocationState, to: InvocationState): InvocationState {
  if (invocationMoves[from].includes(to)) return to;
  throw new Error(`An invocation does not move from ${from} to ${to}`);
}

// How dangerous an invocation is (PRV-11): as dangerous as the most dangerous thing it may do.

export interface Risk {
  level: RiskLevel;
  audit: boolean;
  approval: boolean;
}

const rank = (level: RiskLevel): number => riskLevels.indexOf(level);

/** Whether each step is recorded for the audit log. */
export const audits = (level: RiskLevel): boolean => rank(level) >= rank('medium');

/** A tool's override raises the whole and never lowers it. */
export function effectiveRisk({ risk_level, tools }: Pick<Manifest, 'risk_level' | 'tools'>): Risk {
  const level = tools.reduce<RiskLevel>(
    (highest, { risk_override: tool = 'read_only' }) => (rank(tool) > rank(highest) ? tool : highest),
    risk_level,
  );
  return { level, audit: audits(level), approval: level === 'high' };
}

// An approval, perhaps a day later (PRV-11). An approval covers one event, one version of the manifest and the arguments
// that were shown, and nothing else. The throttle window is not asked again: the event took its place when it came, and the
// approver has decided that the run is still worth it.

export interface ApprovalScope {
  /** The digest of the event as it was shown. */
  eventDigest: string;
  manifestVersion: number;
  argumentsDigest: string;
}

export type AfterApproval =
  | { run: true }
  /** `expired`, `manifest_changed` and `arguments_changed` can be asked for again; the others have ended. */
  | { run: false; reason: 'expired' | 'disabled' | 'gone' | 'event_changed' | 'manifest_changed' | 'arguments_changed'; again: boolean };

/** The definitions in force when the approval comes. Null: the trigger or its manifest is gone. */
export interface CurrentDefinitions extends ApprovalScope {
  enabled: boolean;
}

export function afterApproval(bound: ApprovalScope, until: number, current: CurrentDefinitions | null, now: number): AfterApproval {
  const no = (reason: Extract<AfterApproval, { run: false }>['reason'], again: boolean): AfterApproval => ({ run: false, reason, again });
  if (current === null) return no('gone', false);
  // Switching a trigger off is the quickest way to stop it; an approval that is still pending does not undo that.
  if (!current.enabled) return no('disabled', false);
  if (current.eventDigest !== bound.eventDigest) return no('event_changed', false);
  if (now >= until) return no('expired', true);
  if (current.manifestVersion !== bound.manifestVersion) return no('manifest_changed', true);
  if (current.argumentsDigest !== bound.argumentsDigest) return no('arguments_changed', true);
  return { run: true };
}

// Approval of an agent's calls (IAC-12, IAC-14, SYS-13): which calls need it, who may approve, and until when.

import { lineAbove, type ManagerOf } from '../obligation/line-of-managers.ts';
import type { BehaviourMode } from '../contact/contact-permission.ts';
import { needsApproval } from '../privacy/taint.ts';
import { decidedElsewhere, handsOut, outsideMode } from '../task/workspace-tools.ts';

export type ApprovalWhy = 'rule' | 'mode' | 'taint' | 'risk' | 'private' | 'unknown';

export interface ApprovalStep {
  kind: 'model' | 'tool';
  name: string;
  readOnly: boolean;
}

/** Why this step needs a person's approval; null if it needs none. */
export function approvalReasonFor(step: ApprovalStep, agent: { mode: BehaviourMode; tainted: boolean }): 'mode' | 'taint' | null {
  // Thinking changes nothing, whatever the mode.
  const asks = agent.mode === 'strict' || (agent.mode === 'supervised' && !step.readOnly);
  if (step.kind === 'tool' && asks && !outsideMode.has(step.name)) return 'mode';
  if (decidedElsewhere.has(step.name)) return null;
  return !step.readOnly && needsApproval(agent.tainted, { kind: 'write', granted: false }) ? 'taint' : null;
}

/**
 * Whether a tool sends its input outside without a person's approval (SYS-6). `negotiate` is excepted: with private values it needs
 * approval anyway, so every agent may have it.
 */
export const reachesUnasked = ({ name, readOnly }: { name: string; readOnly: boolean }, mode: BehaviourMode): boolean =>
  name !== 'negotiate' &&
  handsOut({ kind: 'tool', name }) &&
  approvalReasonFor({ kind: 'tool', name, readOnly }, { mode, tainted: false }) === null;

/**
 * The nearest active person in the line of managers, else the agent's owner, else an owner of the workspace, because somebody must be
 * able to answer. Never an agent.
 */
export function approverOf(agentId: string, { memberOf, owners }: Pick<ManagerOf, 'memberOf' | 'owners'>): string | undefined {
  const agent = memberOf(agentId);
  const owner = agent && agent.ownerId !== null ? memberOf(agent.ownerId) : undefined;
  const line = [...lineAbove(agent, memberOf, ({ managerId }) => managerId), owner];
  return line.find((member) => member?.active && member.kind === 'human')?.id ?? owners()[0];
}

export interface ApprovalLimits {
  /** The approver gets one reminder after each of these times. */
  remindMs: readonly number[];
  /** An unanswered approval expires after this time. */
  expireMs: number;
  /** Approvals of one task that may wait at once, so that they flood no inbox. */
  most: number;
}

const hour = 3_600_000;
export const approvalLimits: ApprovalLimits = { remindMs: [hour, 4 * hour], expireMs: 24 * hour, most: 20 };

/** When the next reminder of an unanswered approval, or its expiry, is due. */
export function dueAt(approval: { at: number; until: number; reminded: number }, { remindMs }: Pick<ApprovalLimits, 'remindMs'>): number {
  const reminder = remindMs[approval.reminded];
  return Math.min(approval.until, reminder === undefined ? approval.until : approval.at + reminder);
}

// When a call of an agent waits for a person's approval (IAC-12, IAC-14, SYS-13), which call that is, who is asked, and for how long.

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

/** Whether this step needs a person's approval, and why. Null: it needs none. */
export function approvalReasonFor(step: ApprovalStep, agent: { mode: BehaviourMode; tainted: boolean }): 'mode' | 'taint' | null {
  // Thinking changes nothing, whatever the mode.
  const asks = agent.mode === 'strict' || (agent.mode === 'supervised' && !step.readOnly);
  if (step.kind === 'tool' && asks && !outsideMode.has(step.name)) return 'mode';
  if (decidedElsewhere.has(step.name)) return null;
  return !step.readOnly && needsApproval(agent.tainted, { kind: 'write', granted: false }) ? 'taint' : null;
}

/**
 * It hands what it is given to somebody outside, and no person is asked before (SYS-6). With private values at hand a negotiation
 * needs approval, so that every agent may have that tool.
 */
export const reachesUnasked = ({ name, readOnly }: { name: string; readOnly: boolean }, mode: BehaviourMode): boolean =>
  name !== 'negotiate' &&
  handsOut({ kind: 'tool', name }) &&
  approvalReasonFor({ kind: 'tool', name, readOnly }, { mode, tainted: false }) === null;

/** The same value, the same text: in which order its keys were written does not matter. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

/**
 * The manager, where that is a person, else the nearest person above in the line of managers, else the agent's owner; never
 * an agent, and nobody who is not there any more. At last an owner of the workspace: somebody must be able to answer.
 */
export function approverOf(agentId: string, { memberOf, owners }: Pick<ManagerOf, 'memberOf' | 'owners'>): string | undefined {
  const agent = memberOf(agentId);
  const owner = agent && agent.ownerId !== null ? memberOf(agent.ownerId) : undefined;
  const line = [...lineAbove(agent, memberOf, ({ managerId }) => managerId), owner];
  return line.find((member) => member?.active && member.kind === 'human')?.id ?? owners()[0];
}

export interface ApprovalLimits {
  /** After so long the one who is asked is reminded, each time once. */
  remindMs: readonly number[];
  /** After so long nobody is asked any more. */
  expireMs: number;
  /** So many approvals of one task wait at once, so that nobody's inbox is flooded. */
  most: number;
}

const hour = 3_600_000;
export const approvalLimits: ApprovalLimits = { remindMs: [hour, 4 * hour], expireMs: 24 * hour, most: 20 };

/** When something happens next to one that nobody answers: a reminder, or its end. */
export function dueAt(asked: { at: number; until: number; reminded: number }, { remindMs }: Pick<ApprovalLimits, 'remindMs'>): number {
  const reminder = remindMs[asked.reminded];
  return Math.min(asked.until, reminder === undefined ? asked.until : asked.at + reminder);
}

// A turn that starts over makes the same calls again. A call with an effect outside is not repeated for that (SYS-12).

export interface PastCall {
  name: string;
  /** JSON. */
  input: string;
}

/** Which of these calls this one is again: the same tool with the same arguments, in whatever order they stand. -1: none of them. */
export function indexOfEarlierCall(made: readonly PastCall[], { name, input }: { name: string; input?: unknown }): number {
  const same = made.some((one) => one.name === name) ? canonical(input ?? null) : '';
  return made.findIndex((one) => one.name === name && canonical(JSON.parse(one.input)) === same);
}

// Whether one agent may contact another, and with what consequence (IAC-1 … IAC-15). Every door with `contact_agent` checks in this order:
// whether the call asks anything, whether it is allowed, whether a person must approve it, and the status of the other agent.

import type { AgentStatus } from '../task/task.ts';

export const contactActions = ['ask', 'delegate', 'notify'] as const;
export type ContactAction = (typeof contactActions)[number];
export const priorities = ['low', 'normal', 'high', 'urgent'] as const;
export type Priority = (typeof priorities)[number];
export const behaviourModes = ['autonomous', 'supervised', 'strict'] as const;
export type BehaviourMode = (typeof behaviourModes)[number];

/** A rule for one agent's contacts with another, or with all (`*`). */
export interface ContactPermission {
  target: string;
  permission: 'allow' | 'deny';
  requiresApproval: boolean;
}

/** One agent that wants to contact another. */
export interface Contact {
  caller: { id: string; managerId: string | null; mode: BehaviourMode };
  target: { id: string; managerId: string | null };
  rules: readonly ContactPermission[];
  /** A person has approved this pair permanently. */
  alwaysApproved?: boolean;
  /** The turn has read texts of others (SYS-13), and its task does not name the target. */
  tainted?: boolean;
  /** A brain of the chain has private notes that the target may not read (SYS-6). */
  holdsPrivate?: boolean;
}

export type ContactReason = 'hierarchy' | 'denied' | 'allowed' | 'denied_for_all' | 'allowed_for_all' | 'default';

export interface ContactVerdict {
  allowed: boolean;
  /** The reason why a person has to approve first. */
  approval: 'rule' | 'mode' | 'taint' | 'private' | null;
  /** The line that decided. */
  reason: ContactReason;
}

interface Line {
  when: string;
  fits: (contact: Contact) => ContactPermission | boolean | undefined;
  reason: ContactReason;
  allowed: boolean;
}

const ruleFor = (target: string, permission: ContactPermission['permission']) => (contact: Contact) =>
  contact.rules.find((rule) => rule.target === (target === '*' ? '*' : contact.target.id) && rule.permission === permission);

/** The seed's order: the first line that fits decides. */
// prettier-ignore
export const contactLines: readonly Line[] = [
  // A manager and a report may always contact each other.
  { when: 'one manages the other', fits: isHierarchy, reason: 'hierarchy', allowed: true },
  { when: 'a rule denies this agent', fits: ruleFor('', 'deny'), reason: 'denied', allowed: false },
  { when: 'a rule allows this agent', fits: ruleFor('', 'allow'), reason: 'allowed', allowed: true },
  { when: 'a rule denies all', fits: ruleFor('*', 'deny'), reason: 'denied_for_all', allowed: false },
  { when: 'a rule allows all', fits: ruleFor('*', 'allow'), reason: 'allowed_for_all', allowed: true },
  { when: 'no rule is about it', fits: () => true, reason: 'default', allowed: true },
];

export function mayContact(contact: Contact): ContactVerdict {
  for (const { fits, reason, allowed } of contactLines) {
    const fit = fits(contact);
    if (fit === undefined || fit === false) continue;
    return { allowed, reason, approval: allowed ? approvalOf(contact, fit, reason) : null };
  }
  throw new Error('The last line fits everything.');
}

/**
 * The strictest rule wins, and that is taint: texts of others may steer any call, also between manager and report, where neither a rule
 * nor the mode asks. The approver reads this reason, and approves this one call and not the pair.
 */
function approvalOf(contact: Contact, rule: ContactPermission | true, reason: ContactReason): ContactVerdict['approval'] {
  if (contact.tainted) return 'taint';
  if (contact.holdsPrivate) return 'private';
  if (contact.alwaysApproved || reason === 'hierarchy') return null;
  if (rule !== true && rule.requiresApproval) return 'rule';
  // A contact counts as a write, because it makes others work.
  return contact.caller.mode === 'autonomous' ? null : 'mode';
}

function isHierarchy({ caller, target }: Contact): boolean {
  return caller.managerId === target.id || target.managerId === caller.id;
}

/** The effect of an action, by the status of the other agent. */
export type Reach = 'now' | 'queue' | 'wake' | 'later' | 'store' | 'unavailable';

const whenAsked: Readonly<Record<AgentStatus, Readonly<Record<ContactAction, Reach>>>> = {
  idle: { ask: 'now', delegate: 'queue', notify: 'store' },
  working: { ask: 'now', delegate: 'queue', notify: 'store' },
  awaiting_delegation: { ask: 'now', delegate: 'queue', notify: 'store' },
  awaiting_approval: { ask: 'now', delegate: 'queue', notify: 'store' },
  sleeping: { ask: 'wake', delegate: 'later', notify: 'store' },
  offline: { ask: 'unavailable', delegate: 'unavailable', notify: 'store' },
};

export const reachOf = (status: AgentStatus, action: ContactAction): Reach => whenAsked[status][action];

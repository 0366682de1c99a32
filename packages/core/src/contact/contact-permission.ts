// May one agent contact another, and with what consequence (IAC-1 … IAC-15)? Every door that has `contact_agent` asks:
// first whether there is anything to do at all, then whether it may, then whether a person must approve, then the status of
// the other.

import type { AgentStatus } from '../task/task.ts';

export const contactActions = ['ask', 'delegate', 'notify'] as const;
export type ContactAction = (typeof contactActions)[number];
export const priorities = ['low', 'normal', 'high', 'urgent'] as const;
export type Priority = (typeof priorities)[number];
export const behaviourModes = ['autonomous', 'supervised', 'strict'] as const;
export type BehaviourMode = (typeof behaviourModes)[number];

/** What one agent may do with another, or with all (`*`). */
export interface ContactPermission {
  target: string;
  permission: 'allow' | 'deny';
  requiresApproval: boolean;
}

/** Who wants to contact whom. */
export interface Contact {
  caller: { id: string; managerId: string | null; mode: BehaviourMode };
  target: { id: string; managerId: string | null };
  rules: readonly ContactPermission[];
  /** A person approved this pair for good. */
  alwaysApproved?: boolean;
  /** The turn has read what others wrote (SYS-13), and the target is not among what its task was given. */
  tainted?: boolean;
  /** A brain of the chain has private notes that are not for the target (SYS-6). */
  holdsPrivate?: boolean;
}

export type ContactReason = 'hierarchy' | 'denied' | 'allowed' | 'denied_for_all' | 'allowed_for_all' | 'default';

export interface ContactVerdict {
  allowed: boolean;
  /** Why a person has to approve first. */
  approval: 'rule' | 'mode' | 'taint' | 'private' | null;
  /** Which line decided. */
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
  // A manager and a report may always speak to each other.
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
 * The strictest rule wins, and that is taint: foreign words may speak through everything, also between manager and report,
 * where neither rule nor mode asks. The approver sees this, and approves these words and not the pair.
 */
function approvalOf(contact: Contact, rule: ContactPermission | true, reason: ContactReason): ContactVerdict['approval'] {
  if (contact.tainted) return 'taint';
  if (contact.holdsPrivate) return 'private';
  if (contact.alwaysApproved || reason === 'hierarchy') return null;
  if (rule !== true && rule.requiresApproval) return 'rule';
  // Contacting is a write: it makes others work.
  return contact.caller.mode === 'autonomous' ? null : 'mode';
}

function isHierarchy({ caller, target }: Contact): boolean {
  return caller.managerId === target.id || target.managerId === caller.id;
}

/** What the other's status means for each action. */
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

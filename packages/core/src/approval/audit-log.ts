// The audit log (PRV-11): which calls go into it, what of their arguments is kept (SYS-6), and how an entry reads.

import type { AuditKind, AuditOutcome } from '@parley/protocol';
import { decidedElsewhere, handsOut } from '../task/workspace-tools.ts';

export interface AuditedStep {
  kind: 'model' | 'tool';
  name: string;
  readOnly: boolean;
  /** There is no such tool. */
  void?: boolean | undefined;
}

/** A call inside a turn: one that changes something outside, or that a person approved. */
export const isAudited = (step: AuditedStep, approved: boolean): boolean =>
  handsOut(step) && step.void !== true && (!step.readOnly || approved);

/** A call inside an invocation that is audited: every call of a tool. */
export const isAuditedCall = ({ kind, name, void: isVoid }: AuditedStep): boolean =>
  kind === 'tool' && isVoid !== true && !decidedElsewhere.has(name);

export const withheldMark = '[withheld]';

/**
 * The arguments without any text that `holds` a private value. A value that only the texts together hold takes all of them
 * with it.
 */
export function redactInput(input: unknown, holds: (text: string) => boolean): unknown {
  const once = replaced(input, holds, holds);
  if (!holds(allTexts(once).join('\n'))) return once;
  const keysOnly = replaced(once, () => true, holds);
  return holds(allTexts(keysOnly).join('\n')) ? withheldMark : keysOnly;
}

type Holds = (text: string) => boolean;

function replaced(input: unknown, inValue: Holds, inKey: Holds): unknown {
  if (typeof input === 'string') return inValue(input) ? withheldMark : input;
  if (typeof input === 'number') return inValue(String(input)) ? withheldMark : input;
  if (typeof input !== 'object' || input === null) return input;
  if (Array.isArray(input)) return input.map((one) => replaced(one, inValue, inKey));
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [inKey(key) ? withheldMark : key, replaced(value, inValue, inKey)] as const),
  );
}

const allTexts = (input: unknown): string[] => {
  if (typeof input === 'string') return input === withheldMark ? [] : [input];
  if (typeof input === 'number') return [String(input)];
  if (typeof input !== 'object' || input === null) return [];
  if (Array.isArray(input)) return input.flatMap(allTexts);
  return Object.entries(input).flatMap(([key, value]) => [...(key === withheldMark ? [] : [key]), ...allTexts(value)]);
};

/** Of a contact: its words stand in the conversation of the two, where reading them is recorded. */
export function contactArguments(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { message: _message, context: _context, ...rest } = input as Record<string, unknown>;
  return rest;
}

/** As the page and the terminal name them. */
export const auditKindWords: Readonly<Record<AuditKind, string>> = {
  tool: 'Tool call',
  contact: 'Contact between agents',
  approval: 'Approval',
  read: 'Read of agents’ DMs',
  access: 'Access',
};

export const auditOutcomeWords: Readonly<Record<AuditOutcome, string>> = {
  started: 'Started',
  done: 'Done',
  failed: 'Failed',
  unknown: 'May have happened',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
};

export interface AuditNames {
  kind: AuditKind;
  actor: string;
  target?: string | undefined;
  name: string;
  outcome: AuditOutcome;
}

/** `done`: a person said that a call which may have happened did. */
const answers: Partial<Record<AuditOutcome, string>> = { denied: 'denied', done: 'confirmed', unknown: 'left' };

/** `nameOf` names a member with their sign. */
export const auditActor = (id: string, nameOf: (memberId: string) => string): string =>
  id === 'operator' || id === 'platform' ? `the ${id}` : nameOf(id);

/** By the type of the change. `target`: whose rights they are; undefined: nobody's. */
const accessTexts: Readonly<Record<string, (target: string | undefined) => string>> = {
  'member.added': (target = 'a member') => `added ${target}`,
  'member.edited': (target = 'a member') => `changed the access of ${target}`,
  'token.created': (target = 'nobody') => `made a token for ${target}`,
  'token.revoked': (target = 'a member') => `ended a session or token of ${target}`,
  'link.created': (target) => (target === undefined ? 'made an invitation' : `made a link that signs in as ${target}`),
  'link.used': () => 'came in with a link',
  'link.revoked': () => 'withdrew a link',
  'role.added': () => 'added a team role',
  'role.edited': () => 'changed a team role',
  'role.removed': () => 'removed a team role',
  'secret.set': () => 'stored a secret',
  'secret.removed': () => 'removed a secret',
  'secret.bound': () => 'bound a secret to hosts',
  'tool_server.changed': () => 'changed a tool server',
  'sign_in.refused': () => 'refused sign-ins',
};

/** One line: who did what. */
export function auditText({ kind, actor: who, target: whom, name, outcome }: AuditNames): string {
  const target = whom ?? 'an agent';
  const actor = who.charAt(0).toUpperCase() + who.slice(1);
  if (kind === 'access') return `${actor} ${Object.hasOwn(accessTexts, name) ? accessTexts[name]!(whom) : name}`;
  if (kind === 'tool') return `${actor} called ${name}`;
  if (kind === 'contact') return `${actor} contacted ${target} (${name})`;
  if (kind === 'read') return `${actor} read a conversation between agents`;
  if (outcome === 'expired') return `${actor} let ${name} of ${target} expire: nobody answered`;
  return `${actor} ${answers[outcome] ?? 'approved'} ${name} of ${target}`;
}

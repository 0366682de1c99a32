// The contact rules that people wrote for an agent (IAC-12), for every way of contact.

import { type ContactPermission, mayContact } from '@parley/core';
import { type Want, wantBy } from '../../../store/port.ts';
import type { MemberRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

export const contactRulesOf = (agentId: string, set: WorkingSet): ContactPermission[] =>
  set
    .find('contact_rules', 'agent', agentId)
    .map(({ target, permission, requires_approval }) => ({ target, permission, requiresApproval: requires_approval === 1 }));

/** The rows that a contact is decided by. */
export const callWants = (callerId: string, targetIds: readonly string[]): Want[] => [
  wantBy('contact_rules', 'agent', callerId),
  ...targetIds.map((id): Want => ({ table: 'approved_pairs', values: [callerId, id] })),
];

/**
 * An agent it may not contact, it does not call in a room either; nor one that needs a person's approval: that is for a call,
 * which can wait for it, and here there is none. Speech itself is held to the task, whatever the mode.
 */
export function callRefused(caller: MemberRow, target: MemberRow, set: WorkingSet): 'not_permitted' | 'needs_approval' | undefined {
  const [from, to] = [caller, target].map(({ id, manager_id: managerId }) => ({ id, managerId }));
  const alwaysApproved = set.get('approved_pairs', caller.id, target.id) !== undefined;
  const verdict = mayContact({
    caller: { ...from!, mode: 'autonomous' },
    target: to!,
    rules: contactRulesOf(caller.id, set),
    alwaysApproved,
  });
  if (!verdict.allowed) return 'not_permitted';
  return verdict.approval === null ? undefined : 'needs_approval';
}

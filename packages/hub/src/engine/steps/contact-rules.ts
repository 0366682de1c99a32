// What people wrote down of whom an agent may contact (IAC-12), for every way it can.

import { type ContactRule, mayContact } from '@parley/core';
import type { MemberRow } from '../../store/tables.ts';
import type { WorkingSet } from '../working-set.ts';

export const contactRulesOf = (agentId: string, set: WorkingSet): ContactRule[] =>
  set
    .find('contact_rules', 'agent', agentId)
    .map(({ target, permission, requires_approval }) => ({ target, permission, requiresApproval: requires_approval === 1 }));

/** Whom it may not contact it does not call in a room either. A yes is asked for a call, which can wait for it: here none is. */
export function mayCall(caller: MemberRow, target: MemberRow, set: WorkingSet): boolean {
  const [from, to] = [caller, target].map(({ id, manager_id: managerId }) => ({ id, managerId }));
  return mayContact({ caller: { ...from!, mode: 'autonomous' }, target: to!, rules: contactRulesOf(caller.id, set) }).allowed;
}

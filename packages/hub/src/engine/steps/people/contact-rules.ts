// The contact rules that people wrote for an agent (IAC-12), for every way of contact.

import { type ContactPermission, mayContact } from '@parley/core';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

export const contactRulesOf = (agentId: string, set: WorkingSet): ContactPermission[] =>
  set
    .find('contact_rules', 'agent', agentId)
    .map(({ target, permission, requires_approval }) => ({ target, permission, requiresApproval: requires_approval === 1 }));

/** The rows that a contact is decided by. */
export const callWants = (callerId: string, targetIds: readonly string[]): Want[] => [
  wantBy('contact_rules', 'agent', callerId),
  ...targetIds.map((id): Want => wantRow('approved_pairs', callerId, id)),
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

// Members whom an agent's owner has blocked for it (C2A-8): their words are stored and never wake it.

export const blockWants = (memberId: string) => wantBy('agent_blocks', 'member', memberId);

const nobody: ReadonlySet<string> = new Set();

/** Agents that listen to none of these members. An agent listens to its owner, whatever an earlier owner set. */
export function blockersOf(memberIds: readonly (string | null)[], set: WorkingSet): ReadonlySet<string> {
  const rows = set.each(memberIds, (id) => (id === null ? [] : set.find('agent_blocks', 'member', id))).flat();
  // This is the case for nearly every message, so it costs no read.
  if (rows.length === 0) return nobody;
  set.need(rows.map(({ agent_id }) => wantRow('members', agent_id)));
  return new Set(
    rows.filter(({ agent_id, member_id }) => set.get('members', agent_id)?.owner_id !== member_id).map(({ agent_id }) => agent_id),
  );
}

/** By one agent: whether it hears none of these, who ask it for work or began the chain in which it is asked. */
export function isBlocked(agentId: string, memberIds: readonly (string | null)[], set: WorkingSet): boolean {
  const rows = set.find('agent_blocks', 'agent', agentId).filter(({ member_id }) => memberIds.includes(member_id));
  if (rows.length === 0) return false;
  const owner = set.get('members', agentId)?.owner_id;
  return rows.some(({ member_id }) => member_id !== owner);
}

export const blockedWants = (agentId: string) => wantBy('agent_blocks', 'agent', agentId);

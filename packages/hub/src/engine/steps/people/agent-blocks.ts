// Members whom an agent's owner has blocked for it (C2A-8): their words are stored and never wake it.

import { type Want, wantBy } from '../../../store/port.ts';
import type { WorkingSet } from '../../working-set.ts';

export const blockWants = (memberId: string): Want => wantBy('agent_blocks', 'member', memberId);

const nobody: ReadonlySet<string> = new Set();

/** Agents that listen to none of these members. An agent listens to its owner, whatever an earlier owner set. */
export function blockersOf(memberIds: readonly (string | null)[], set: WorkingSet): ReadonlySet<string> {
  const rows = set.each(memberIds, (id) => (id === null ? [] : set.find('agent_blocks', 'member', id))).flat();
  // So it is with nearly every message.
  if (rows.length === 0) return nobody;
  set.need(rows.map(({ agent_id }) => ({ table: 'members', values: [agent_id] })));
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

export const blockedWants = (agentId: string): Want => wantBy('agent_blocks', 'agent', agentId);

// Owners and managers above a member, from the rows.

import type { ManagerOf } from '@parley/core';
import type { WorkingSet } from '../../working-set.ts';

/** `homeId`: the room in which an agent has to be to do something about it; null: only people are looked for. */
export const aboveIn = (homeId: string | null, set: WorkingSet): ManagerOf => ({
  memberOf: (id) => {
    const member = set.get('members', id);
    if (!member) return undefined;
    const { kind, status, manager_id: managerId, owner_id: ownerId } = member;
    return { id, kind, active: status === 'active', managerId, ownerId };
  },
  canAct: (agentId) => homeId !== null && set.get('memberships', homeId, agentId) !== undefined,
  owners: () =>
    set
      .find('members', 'role', 'owner')
      .filter(({ kind, status }) => status === 'active' && kind === 'human')
      .toSorted((a, b) => a.created_at - b.created_at)
      .map(({ id }) => id),
});

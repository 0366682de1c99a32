// Roles: handles that several members answer to (C2A-34).

import type { Actor } from '@parley/core';
import { type EditRole, ParleyError } from '@parley/protocol';
import type { z } from 'zod';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { RoleRow } from '../../../store/tables.ts';
import { actorOf, type Handler, invalidField, require, type Tx } from '../../command.ts';
import { agentChanged } from '../../steps/agents/agents.ts';
import { freeHandle, handleLock, keepHandle } from '../../steps/people/handles.ts';
import { settleOffersFor } from '../../steps/offers/offers.ts';
import { append } from '../../steps/facts/append.ts';
import { roleEdited, roleLock } from '../../steps/people/team-roles.ts';
import { endTask, gatherWhole } from '../../steps/tasks/tasks.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface RoleCommands {
  'role.add': [{ handle: string; about: string; holderIds: string[] }, { role: RoleRow }];
  'role.edit': [{ roleId: string; change: z.output<typeof EditRole> }, { role: RoleRow }];
  'role.remove': [{ roleId: string }, void];
}

const add: Handler<'role.add'> = {
  locks: (c) => [handleLock(c.handle), ...c.holderIds.map((id) => `member:${id}`)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('role.manage', actor);
    const handle_fold = freeHandle(c.handle, null, actor, tx);
    const role: RoleRow = { id: tx.ids.next('role'), handle: c.handle, handle_fold, about: c.about, created_at: tx.now };
    tx.insert('roles', role);
    keepHandle(role.id, role.handle, tx);
    const holders = new Set(c.holderIds).size;
    const access = { role: c.handle, holderIds: c.holderIds };
    append(tx, { type: 'role.added', actor, scope: 'workspace', subject_id: role.id, data: { holders }, access });
    hold(role.id, [], c.holderIds, tx);
    return { role };
  },
};

function roleFor(roleId: string, set: WorkingSet): RoleRow {
  const role = set.get('roles', roleId);
  if (!role) throw new ParleyError('not_found', 'There is no such role.');
  return role;
}

const edit: Handler<'role.edit'> = {
  locks: (c) => [
    roleLock(c.roleId),
    ...(c.change.handle === undefined ? [] : [handleLock(c.change.handle)]),
    ...(c.change.holderIds ?? []).map((id) => `member:${id}`),
  ],
  needs: (c) => [wantRow('roles', c.roleId), wantBy('role_holders', 'role', c.roleId)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('role.manage', actor);
    const role = roleFor(c.roleId, tx);
    const { handle, about, holderIds } = c.change;
    const next: Partial<RoleRow> = {};
    if (handle !== undefined && handle !== role.handle) {
      Object.assign(next, { handle, handle_fold: freeHandle(handle, role.id, actor, tx) });
      keepHandle(role.id, handle, tx);
    }
    if (about !== undefined && about !== role.about) next.about = about;
    const held = tx.find('role_holders', 'role', role.id).map(({ member_id }) => member_id);
    const moves = holderIds !== undefined && hold(role.id, held, holderIds, tx);
    const fields = [...Object.keys(next), ...(moves ? ['holders'] : [])];
    if (fields.length > 0) roleEdited(role.id, fields, actor, tx);
    return { role: Object.keys(next).length > 0 ? tx.update('roles', role, next) : role };
  },
};

/** Replaces the holders of a role; the new holders get the open offers. */
function hold(roleId: string, before: readonly string[], after: readonly string[], tx: Tx): boolean {
  const added = [...new Set(after)].filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  tx.need([...added, ...removed].map((id) => wantRow('members', id)));
  for (const id of added) {
    if (tx.get('members', id)?.status !== 'active') throw invalidField('holderIds', 'names somebody who is not an active member');
    tx.insert('role_holders', { role_id: roleId, member_id: id });
  }
  for (const id of removed) tx.remove('role_holders', tx.get('role_holders', roleId, id)!);
  const agents = [...added, ...removed].filter((id) => tx.get('members', id)!.kind === 'agent');
  settleOffersFor(agents, tx);
  // The new holders are offered what they may now claim.
  for (const id of agents) agentChanged(id, tx);
  return added.length + removed.length > 0;
}

const remove: Handler<'role.remove'> = {
  locks: (c) => [roleLock(c.roleId)],
  needs: (c) => [wantRow('roles', c.roleId), wantBy('role_holders', 'role', c.roleId), wantBy('task_roles', 'role', c.roleId)],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('role.manage', actor);
    const role = roleFor(c.roleId, tx);
    endUntaken(role.id, actor, tx);
    for (const holder of tx.find('role_holders', 'role', role.id)) tx.remove('role_holders', holder);
    tx.remove('roles', role);
    append(tx, { type: 'role.removed', actor, scope: 'workspace', subject_id: role.id, access: { role: role.handle } });
  },
};

/** Ends requests to the role's holders that nobody has taken. */
function endUntaken(roleId: string, actor: Actor, tx: Tx): void {
  const roleTasks = tx.find('task_roles', 'role', roleId);
  tx.need(roleTasks.map(({ task_id }) => wantRow('tasks', task_id)));
  const open = roleTasks.map(({ task_id }) => tx.get('tasks', task_id)!).filter((task) => task.open === 1 && task.agent_id === null);
  gatherWhole(open, tx);
  const by = actor.type === 'member' ? actor.id : null;
  for (const { id } of open) endTask(tx.get('tasks', id)!, { state: 'cancelled', cause: 'role_removed', by }, tx);
}

export const roleHandlers = { 'role.add': add, 'role.edit': edit, 'role.remove': remove };

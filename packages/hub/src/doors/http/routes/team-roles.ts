import type { CalledRole } from '@parley/protocol';
import { require } from '../../../engine/command.ts';
import type { RoleRow } from '../../../store/tables.ts';
import { roleViews } from '../../../views/team-roles.ts';
import type { Caller, RouteHandlers, Services } from '../route-context.ts';
import { visibleMembers } from './members.ts';

/** Guests are not told of holders they do not know. */
async function shown(hub: Services, caller: Caller, rows: RoleRow[]): Promise<CalledRole[]> {
  const roles = await roleViews(hub.store, rows);
  const holders = await visibleMembers(
    hub,
    caller,
    await hub.store.rows('members', { id: [...new Set(roles.flatMap(({ holderIds }) => holderIds))] }),
  );
  const known = new Set(holders.map(({ id }) => id));
  return roles.map((role) => ({ ...role, holderIds: role.holderIds.filter((id) => known.has(id)) }));
}

export const roleRoutes = {
  listRoles: async ({ caller, hub }) => {
    require('role.see', caller.actor);
    return { roles: await shown(hub, caller, await hub.store.rows('roles', {}, { order: 'handle_fold' })) };
  },
  addRole: async ({ input, caller, hub }) => {
    const { role } = await hub.engine.submit({ type: 'role.add', by: caller.by, ...input.body });
    return (await shown(hub, caller, [role]))[0]!;
  },
  editRole: async ({ input, caller, hub }) => {
    const { role } = await hub.engine.submit({ type: 'role.edit', by: caller.by, ...input.params, change: input.body });
    return (await shown(hub, caller, [role]))[0]!;
  },
  removeRole: async ({ input, caller, hub }) => hub.engine.submit({ type: 'role.remove', by: caller.by, ...input.params }),
} satisfies Partial<RouteHandlers>;

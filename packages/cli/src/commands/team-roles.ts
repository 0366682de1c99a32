import type { CalledRole } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me, didYouMean } from '../hints.ts';
import { table } from '../output.ts';
import type { CommandContext } from '../settings.ts';
import { findMember, handlesOf, plainHandle } from './members.ts';

async function findRole(access: HubAccess, typed: string): Promise<CalledRole> {
  const { roles } = await access.call('listRoles');
  const handle = plainHandle(typed);
  const found = roles.find((role) => role.handle.toLowerCase() === handle.toLowerCase() || role.id === typed);
  if (found) return found;
  const handles = roles.map((role) => role.handle);
  throw new CliError('not_found', `There is no role ^${handle}.`, {
    hint: didYouMean(handle, handles, '^') ?? `\`${me} role list\` shows which there are.`,
  });
}

interface RoleOptions {
  holder: string[];
  about?: string;
}

/** Makes a role, or adds holders to an existing one. */
export async function addRole({ settings, output }: CommandContext, typed: string, options: RoleOptions): Promise<void> {
  const handle = plainHandle(typed);
  const [role, isNew] = await withAccess(settings, async (access) => {
    const { roles } = await access.call('listRoles');
    const existing = roles.find((one) => one.handle.toLowerCase() === handle.toLowerCase());
    const holderIds = [...(existing?.holderIds ?? [])];
    for (const holder of options.holder) holderIds.push((await findMember(access, holder)).id);
    const body = { holderIds: [...new Set(holderIds)], ...(options.about === undefined ? {} : { about: options.about }) };
    const saved = existing
      ? await access.call('editRole', { params: { roleId: existing.id }, body })
      : await access.call('addRole', { body: { handle, ...body } });
    return [saved, existing === undefined];
  });
  const holders = `${role.holderIds.length} ${role.holderIds.length === 1 ? 'member holds' : 'members hold'} it`;
  output.result(role, `${isNew ? 'Added' : 'Changed'} ^${role.handle}: ${holders}.`);
}

/** Removes these holders from a role, or the role itself. */
export async function removeRole({ settings, output }: CommandContext, typed: string, options: Pick<RoleOptions, 'holder'>): Promise<void> {
  const { result, text } = await withAccess(settings, async (access) => {
    const role = await findRole(access, typed);
    if (options.holder.length === 0) {
      await access.call('removeRole', { params: { roleId: role.id } });
      return { result: {}, text: `Removed ^${role.handle}.` };
    }
    const removedIds = new Set<string>();
    for (const holder of options.holder) removedIds.add((await findMember(access, holder)).id);
    const holderIds = role.holderIds.filter((id) => !removedIds.has(id));
    const edited = await access.call('editRole', { params: { roleId: role.id }, body: { holderIds } });
    return { result: edited, text: `Changed ^${role.handle}.` };
  });
  output.result(result, text);
}

export async function listRoles({ settings, output }: CommandContext): Promise<void> {
  const { roles, handles } = await withAccess(settings, async (access) => ({
    ...(await access.call('listRoles')),
    handles: await handlesOf(access),
  }));
  const rows = roles.map((role) => [`^${role.handle}`, role.holderIds.map((id) => handles.get(id) ?? '?').join(' '), role.about]);
  const none = `There are no roles yet. \`${me} role add <handle> --holder <member>\` makes one.`;
  output.result({ roles }, rows.length === 0 ? none : table(['ROLE', 'HOLDERS', 'ABOUT'], rows));
}

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
  const known = roles.map((role) => role.handle);
  throw new CliError('not_found', `There is no role ^${handle}.`, {
    hint: didYouMean(handle, known, '^') ?? `\`${me} role list\` shows which there are.`,
  });
}

interface RoleOptions {
  holder: string[];
  about?: string;
}

/** Makes the role, or gives one that is there to more holders. */
export async function addRole({ settings, output }: CommandContext, typed: string, options: RoleOptions): Promise<void> {
  const handle = plainHandle(typed);
  const [role, isNew] = await withAccess(settings, async (access) => {
    const { roles } = await access.call('listRoles');
    const known = roles.find((one) => one.handle.toLowerCase() === handle.toLowerCase());
    const holderIds = [...(known?.holderIds ?? [])];
    for (const holder of options.holder) holderIds.push((await findMember(access, holder)).id);
    const body = { holderIds: [...new Set(holderIds)], ...(options.about === undefined ? {} : { about: options.about }) };
    const made = known
      ? await access.call('editRole', { params: { roleId: known.id }, body })
      : await access.call('addRole', { body: { handle, ...body } });
    return [made, known === undefined];
  });
  const held = `${role.holderIds.length} ${role.holderIds.length === 1 ? 'member holds' : 'members hold'} it`;
  output.result(role, `${isNew ? 'Added' : 'Changed'} ^${role.handle}: ${held}.`);
}

/** Takes the role from these holders, or away. */
export async function removeRole({ settings, output }: CommandContext, typed: string, options: Pick<RoleOptions, 'holder'>): Promise<void> {
  const said = await withAccess(settings, async (access) => {
    const role = await findRole(access, typed);
    if (options.holder.length === 0) {
      await access.call('removeRole', { params: { roleId: role.id } });
      return { result: {}, text: `Removed ^${role.handle}.` };
    }
    const gone = new Set<string>();
    for (const holder of options.holder) gone.add((await findMember(access, holder)).id);
    const holderIds = role.holderIds.filter((id) => !gone.has(id));
    const changed = await access.call('editRole', { params: { roleId: role.id }, body: { holderIds } });
    return { result: changed, text: `Changed ^${role.handle}.` };
  });
  output.result(said.result, said.text);
}

export async function listRoles({ settings, output }: CommandContext): Promise<void> {
  const { roles, called } = await withAccess(settings, async (access) => ({
    ...(await access.call('listRoles')),
    called: await handlesOf(access),
  }));
  const rows = roles.map((role) => [`^${role.handle}`, role.holderIds.map((id) => called.get(id) ?? '?').join(' '), role.about]);
  const none = `There are no roles yet. \`${me} role add <handle> --holder <member>\` makes one.`;
  output.result({ roles }, rows.length === 0 ? none : table(['ROLE', 'HOLDERS', 'ABOUT'], rows));
}

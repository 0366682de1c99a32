import { everyMember } from '@parley/sdk/pages';
import { randomUUID } from 'node:crypto';
import type { Member } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me, didYouMean } from '../hints.ts';
import { table } from '../output.ts';
import type { CommandContext } from '../settings.ts';

/** The handle without its sigil. */
export const plainHandle = (handle: string): string => handle.replace(/^[@^]/, '');
/** The handle with the sigil that addresses the member. */
export const sigilHandle = ({ kind, handle }: Pick<Member, 'kind' | 'handle'>): string => `${kind === 'agent' ? '^' : '@'}${handle}`;

/** Handles with sigils, by member ID. */
export async function handlesOf(access: HubAccess): Promise<ReadonlyMap<string, string>> {
  const { members } = await everyMember(access);
  return new Map(members.map((member) => [member.id, sigilHandle(member)]));
}

/** `sigil` says whether the error names an agent or a member. */
export async function findMember(access: HubAccess, typed: string, sigil = typed.startsWith('^') ? '^' : '@'): Promise<Member> {
  const { members } = await everyMember(access);
  const handle = plainHandle(typed).toLowerCase();
  const found = members.find((member) => member.handle.toLowerCase() === handle || member.id === typed);
  if (found) return found;
  const wanted = sigil === '^' ? 'agent' : 'member';
  const candidates = members.filter(({ status, kind }) => status === 'active' && (wanted === 'member' || kind === 'agent'));
  const handles = candidates.map((member) => member.handle);
  throw new CliError('not_found', `There is no ${wanted} ${sigil}${plainHandle(typed)}.`, {
    hint: didYouMean(plainHandle(typed), handles, sigil) ?? `\`${me} ${wanted} list\` shows who there is.`,
  });
}

interface AddOptions {
  name?: string;
  about?: string;
  agent?: true;
  role?: Member['role'];
  owner?: string;
}

export async function addMember({ settings, output }: CommandContext, typed: string, options: AddOptions): Promise<void> {
  const handle = plainHandle(typed);
  const member = await withAccess(settings, async (access) => {
    const owner = options.owner === undefined ? undefined : await findMember(access, options.owner);
    const adding = access.call(
      'addMember',
      {
        body: {
          kind: options.agent ? 'agent' : 'human',
          handle,
          displayName: options.name ?? handle,
          ...(options.about === undefined ? {} : { about: options.about }),
          ...(options.role === undefined ? {} : { role: options.role }),
          ...(owner === undefined ? {} : { ownerId: owner.id }),
        },
      },
      { idempotencyKey: randomUUID() },
    );
    return options.agent && owner === undefined ? adding.catch((error: unknown) => refused(access, error)) : adding;
  });
  output.result(member, `Added ${sigilHandle(member)} (${member.kind === 'agent' ? 'agent' : member.role}).`);
  output.note(
    member.kind === 'agent'
      ? `  Connect it with a token: ${me} token create --member ${member.handle} --kind agent --label <what for>`
      : `  Let them in with a one-time link: ${me} link ${member.handle}`,
  );
}

/** An agent is answered for by the first owner, and in a new workspace there is none. */
async function refused(access: HubAccess, error: unknown): Promise<never> {
  if ((error as { code?: string }).code !== 'invalid_request') throw error;
  const { members } = await everyMember(access);
  if (members.some(({ role, status }) => role === 'owner' && status === 'active')) throw error;
  throw new CliError('usage', `There is no owner yet: open the link from \`${me} up\` first.`, { code: 'invalid_request', cause: error });
}

export async function listMembers({ settings, output }: CommandContext, options: { all?: true }): Promise<void> {
  const { members } = await withAccess(settings, (access) => everyMember(access));
  const shown = members.filter((member) => options.all || member.status === 'active');
  const handles = new Map(members.map((member) => [member.id, member.handle]));
  const rows = shown.map((member) => [
    sigilHandle(member),
    member.displayName,
    member.kind === 'agent' ? 'agent' : member.role,
    member.ownerId === null ? '' : `@${handles.get(member.ownerId) ?? '?'}`,
    member.status === 'active' ? (member.online ? 'online' : '') : member.status,
  ]);
  const nobody = `Nobody is here yet. \`${me} link\` prints the link that lets the first owner in.`;
  output.result({ members: shown }, rows.length === 0 ? nobody : table(['HANDLE', 'NAME', 'ROLE', 'OWNER', 'STATUS'], rows));
}

export async function deactivateMember({ settings, output }: CommandContext, handle: string): Promise<void> {
  const member = await withAccess(settings, async (access) => {
    const { id } = await findMember(access, handle);
    return access.call('deactivateMember', { params: { memberId: id } });
  });
  output.result(member, `Deactivated ${sigilHandle(member)}: their sessions and tokens have ended.`);
}

export async function reactivateMember({ settings, output }: CommandContext, handle: string): Promise<void> {
  const member = await withAccess(settings, async (access) => {
    const { id } = await findMember(access, handle);
    return access.call('reactivateMember', { params: { memberId: id } });
  });
  output.result(member, `Reactivated ${sigilHandle(member)}.`);
  output.note(
    member.kind === 'agent'
      ? `  Connect it with a new token: ${me} token create --member ${member.handle} --kind agent --label <what for>`
      : `  Let them in with a one-time link: ${me} link ${member.handle}`,
  );
}

type RaisedRole = 'owner' | 'admin' | 'member';

export async function link(
  { settings, output }: CommandContext,
  handle: string | undefined,
  { role }: { role?: RaisedRole },
): Promise<void> {
  if (role !== undefined && handle === undefined)
    throw new CliError('usage', `--role ${role} needs a person.`, { hint: `Write \`${me} link @handle --role ${role}\`.` });
  const { created, hubIsUp } = await withAccess(settings, async (access) => {
    const member = handle === undefined ? undefined : await findMember(access, handle);
    if (member?.kind === 'agent') {
      throw new CliError('usage', `@${member.handle} is an agent; only people sign in.`, {
        hint: `It connects with a token: ${me} token create --member ${member.handle} --label <what for>`,
      });
    }
    if (member && member.status !== 'active') throw new CliError('failed', `@${member.handle} is ${member.status}.`);
    const created = await access.call('createSignInLink', {
      body: { ...(member === undefined ? {} : { memberId: member.id }), ...(role === undefined ? {} : { role }) },
    });
    return { created, hubIsUp: access.hubIsUp };
  });
  output.result(created, created.url);
  const minutes = Math.round((created.expiresAt - Date.now()) / 60_000);
  output.note(
    `  Works once, within ${minutes > 120 ? `${Math.round(minutes / 60)} hours` : `${minutes} minutes`}. Anybody who has the link can sign in with it: send it to nobody else.`,
  );
  if (role !== undefined)
    output.note(
      `  They become ${role} when they open it; every other session, token and link of the account ends then. Hand it over outside Parley.`,
    );
  if (hubIsUp) return;
  output.note(`  No hub is running: start it with \`${me} up\` before the link is opened.`);
  const { port, publicUrl } = await settings.config();
  if (publicUrl === undefined && !settings.env['PARLEY_PORT'])
    output.note(`  It is for a hub here, assuming port ${port}; set PARLEY_PORT if the hub runs on another.`);
}

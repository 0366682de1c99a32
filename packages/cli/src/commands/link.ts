import { withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../program-name.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';
import { findMember } from './members.ts';

export type RaisedRole = 'owner' | 'admin' | 'member';

export async function link(settings: Settings, handle: string | undefined, { role }: { role?: RaisedRole }, output: Output): Promise<void> {
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

import type { TokenKind } from '@parley/protocol';
import { withAccess } from '../access.ts';
import { CliError } from '../exit.ts';
import { me } from '../name.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';
import { findMember } from './members.ts';

export interface CreateOptions {
  member?: string;
  kind?: TokenKind;
  label: string;
  expiresIn?: string;
  source?: string;
}

const units = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** `90d`, `12h`, `30m`, or plain seconds. */
export function seconds(text: string, what = '--expires-in'): number {
  const [, amount, unit = 's'] = /^(\d+)([smhd])?$/.exec(text) ?? [];
  if (amount === undefined)
    throw new CliError('usage', `${what} ${text} is not a time.`, { hint: 'Write 90d, 12h, 30m or a number of seconds.' });
  return Number(amount) * units[unit as keyof typeof units];
}

export async function createToken(settings: Settings, options: CreateOptions, output: Output): Promise<void> {
  const expiresInSeconds = options.expiresIn === undefined ? undefined : seconds(options.expiresIn);
  // A source is the workspace's: whoever owns that answers for its token.
  if (options.member === undefined && settings.token === undefined && options.kind !== 'source') {
    throw new CliError('usage', 'Say for whom: --member <handle>.', { code: 'usage' });
  }
  const created = await withAccess(settings, async (access) => {
    const member = options.member === undefined ? undefined : await findMember(access, options.member);
    return access.call('createToken', {
      body: {
        kind: options.kind ?? (member?.kind === 'agent' ? 'agent' : 'person'),
        label: options.label,
        ...(member === undefined ? {} : { memberId: member.id }),
        ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
        ...(options.source === undefined ? {} : { source: options.source }),
      },
    });
  });
  // The secret alone on stdout, so that TOKEN=$(parley token create …) works.
  output.result(created, created.secret);
  output.note(
    `  ${created.token.id}, a token of kind ${created.token.kind}. It is shown only now; put it in PARLEY_TOKEN to use it.\n  Revoke it with: ${me} token revoke ${created.token.id}`,
  );
}

export async function revokeToken(settings: Settings, tokenId: string, output: Output): Promise<void> {
  if (!tokenId.startsWith('tok_')) {
    throw new CliError('usage', 'A token is revoked by its id (tok_…), which was shown when it was made; not by its secret.');
  }
  await withAccess(settings, (access) => access.call('revokeToken', { params: { tokenId } }));
  output.result({ id: tokenId, revoked: true }, `Revoked ${tokenId}: whatever was connected with it has been cut off.`);
}

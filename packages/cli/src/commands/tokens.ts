import type { TokenKind } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';
import { type Output, table } from '../output.ts';
import type { CommandContext, Settings } from '../settings.ts';
import { findMember, handlesOf } from './members.ts';

interface CreateOptions {
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

export async function createToken({ settings, output }: CommandContext, options: CreateOptions): Promise<void> {
  const expiresInSeconds = options.expiresIn === undefined ? undefined : seconds(options.expiresIn);
  // A source is the workspace's: its owner answers for the token.
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

/** Yours and your agents'; for the operator, all. */
export async function listTokens({ settings, output }: CommandContext): Promise<void> {
  const { tokens, handles } = await withAccess(settings, async (access) => ({
    ...(await access.call('listTokens')),
    handles: await handlesOf(access),
  }));
  const time = (at: number | null): string => (at === null ? '' : new Date(at).toISOString());
  const rows = tokens.map(({ id, label, kind, purpose, memberId, openedBy, createdAt, expiresAt }) => [
    id,
    label,
    purpose === 'session' ? 'session' : kind,
    handles.get(memberId) ?? '?',
    openedBy === null ? '' : (handles.get(openedBy) ?? '?'),
    time(createdAt),
    time(expiresAt),
  ]);
  output.result(
    { tokens },
    rows.length === 0 ? 'There are no tokens.' : table(['TOKEN', 'LABEL', 'KIND', 'OF', 'LINK FROM', 'MADE', 'ENDS'], rows),
  );
}

export async function revokeToken(
  { settings, output }: CommandContext,
  typed: string | undefined,
  { others }: { others?: true },
): Promise<void> {
  if ((typed === undefined) === (others === undefined))
    throw new CliError('usage', 'Say which token, or --others.', { hint: `\`${me} token list\` lists them.` });
  if (typed === undefined) return endOthers(settings, output);
  // Not looked for, so that it is not said again anywhere.
  if (/^p[paxb]_/.test(typed))
    throw new CliError('usage', 'A token is revoked by its id (tok_…) or its label, not by its secret.', {
      hint: `\`${me} token list\` lists them.`,
    });
  const tokenId = await withAccess(settings, async (access) => {
    const id = typed.startsWith('tok_') ? typed : await labelled(access, typed);
    await access.call('revokeToken', { params: { tokenId: id } });
    return id;
  });
  output.result({ id: tokenId, revoked: true }, `Revoked ${tokenId}: its connections have been closed.`);
}

async function endOthers(settings: Settings, output: Output): Promise<void> {
  const { ended } = await withAccess(settings, (access) => access.call('endOtherSessions'));
  output.result({ ended }, `Ended ${ended} other ${ended === 1 ? 'session or token' : 'sessions and tokens'} of yours.`);
}

async function labelled(access: HubAccess, label: string): Promise<string> {
  const { tokens } = await access.call('listTokens');
  const [found, ...more] = tokens.filter((one) => one.purpose === 'api' && one.label === label);
  const hint = `\`${me} token list\` lists them.`;
  if (!found) throw new CliError('not_found', 'There is no token of this id or label.', { hint });
  if (more.length === 0) return found.id;
  throw new CliError('usage', `Several tokens have this label: ${[found, ...more].map(({ id }) => id).join(', ')}.`, {
    hint: 'Give the id.',
  });
}

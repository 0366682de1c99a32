// The model that a person's peer thinks with.

import type { OwnModelProvider, OwnModels, ShownModelProvider } from '@parley/protocol';
import { CliError } from '../../exit.ts';
import { typedSecret } from '../../input.ts';
import { printable, table } from '../../output.ts';
import { me } from '../../hints.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

interface ModelOptions {
  provider: string;
  baseUrl?: string;
  small?: string;
  medium?: string;
  large?: string;
  keyEnv?: string;
  second?: true;
}

export async function setModel(context: PeerCommandContext, options: ModelOptions): Promise<void> {
  const { baseUrl, small, medium, large, second } = options;
  const models = Object.fromEntries(Object.entries({ small, medium, large }).filter(([, name]) => name !== undefined));
  // The peer says what is wrong with the rest; a key is asked for only once.
  const name = options.provider as OwnModelProvider['provider'];
  const provider: OwnModelProvider = { provider: name, baseUrl: baseUrl ?? null, models, key: await keyFor(context, options) };
  print(context, await withPeer(context, (peer) => peer.setOwnModel({ provider, isSecond: second === true })));
}

async function keyFor({ env }: PeerCommandContext, { provider, keyEnv }: ModelOptions): Promise<OwnModelProvider['key']> {
  if (keyEnv !== undefined) return { variable: keyEnv };
  const given = env['PARLEY_MODEL_KEY'];
  if (given) return { value: given };
  // A server of one's own often has no key.
  if (provider === 'openai_compatible') return null;
  if (!process.stdin.isTTY)
    throw new CliError('usage', `${printable(provider)} needs a key. Set PARLEY_MODEL_KEY, or name a variable with --key-env.`);
  const typed = await typedSecret(`The key for ${provider}`);
  if (!typed) throw new CliError('usage', 'No model was set: there was no key.');
  return { value: typed };
}

export async function showModel(context: PeerCommandContext): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.ownModel()));
}

export async function removeModel(context: PeerCommandContext, { second }: { second?: true }): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.removeOwnModel({ isSecond: second === true })));
}

function print(context: PeerCommandContext, { first, second }: OwnModels): void {
  const none = `Your peer negotiates without a model. Choose one with \`${me} peer model set${inFolder(context)}\`.`;
  const rows = [row('first', first), row('second', second)].filter((one) => one !== undefined);
  const words = rows.length === 0 ? none : table(['', 'PROVIDER', 'SMALL', 'MEDIUM', 'LARGE', 'KEY', 'ADDRESS'], rows);
  context.output.result({ first, second }, words);
}

function row(place: string, provider: ShownModelProvider | null): string[] | undefined {
  if (!provider) return undefined;
  const { provider: name, models, key, baseUrl } = provider;
  const cells = [name, models.small, models.medium, models.large, typeof key === 'string' ? key : `$${key.variable}`, baseUrl];
  return [place, ...cells.map((cell) => printable(cell ?? ''))];
}

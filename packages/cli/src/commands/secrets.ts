import { withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { table } from '../output.ts';
import type { CommandContext } from '../settings.ts';
import { standardInput, typedSecret } from '../input.ts';

export async function listSecrets({ settings, output }: CommandContext): Promise<void> {
  const { secrets } = await withAccess(settings, (access) => access.call('listSecrets'));
  const rows = secrets.map(({ name, from, at, hosts, problem }) => [
    name,
    from,
    at === null ? '' : new Date(at).toISOString(),
    hosts.join(', ') || 'first host used',
    problem ?? '',
  ]);
  output.result({ secrets }, rows.length === 0 ? 'None is set.' : table(['NAME', 'FROM', 'SET', 'HOSTS', 'PROBLEM'], rows));
}

export async function setSecret({ settings, output }: CommandContext, name: string, { host: hosts }: { host?: string[] }): Promise<void> {
  const value = process.stdin.isTTY ? await typedSecret(`The value of ${name}`) : await standardInput('');
  if (value === undefined) throw new CliError('usage', 'Nothing was changed.');
  if (value === '') throw new CliError('usage', 'There is nothing to keep: the value is empty.');
  const secret = await withAccess(settings, (access) =>
    access.call('setSecret', { params: { name }, body: { value, ...(hosts ? { hosts } : {}) } }),
  );
  output.result(secret, `Kept ${name}.`);
  if (secret.from !== 'stored')
    output.note(`  It is taken from ${secret.from === 'file' ? 'its file' : 'the environment'} as long as it is set there.`);
}

export async function bindSecret({ settings, output }: CommandContext, name: string, hosts: string[]): Promise<void> {
  const secret = await withAccess(settings, (access) => access.call('bindSecret', { params: { name }, body: { hosts } }));
  output.result(secret, `Bound ${name} to ${secret.hosts.join(', ')}.`);
}

export async function removeSecret({ settings, output }: CommandContext, name: string): Promise<void> {
  await withAccess(settings, (access) => access.call('removeSecret', { params: { name } }));
  output.result({}, `Forgot ${name}.`);
}

import { withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { type Output, table } from '../output.ts';
import type { Settings } from '../settings.ts';
import { standardInput } from '../input.ts';

export async function listSecrets(settings: Settings, output: Output): Promise<void> {
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

/** Never as an argument: other users of a machine can see those, and a shell keeps them. */
export async function setSecret(settings: Settings, name: string, hosts: string[] | undefined, output: Output): Promise<void> {
  const value = process.stdin.isTTY ? await typedIn(name) : await standardInput('');
  if (value === '') throw new CliError('usage', 'There is nothing to keep: the value is empty.');
  const secret = await withAccess(settings, (access) =>
    access.call('setSecret', { params: { name }, body: { value, ...(hosts ? { hosts } : {}) } }),
  );
  output.result(secret, `Kept ${name}.`);
  if (secret.from !== 'stored')
    output.note(`  It is taken from ${secret.from === 'file' ? 'its file' : 'the environment'} as long as it is set there.`);
}

export async function bindSecret(settings: Settings, name: string, hosts: string[], output: Output): Promise<void> {
  const secret = await withAccess(settings, (access) => access.call('bindSecret', { params: { name }, body: { hosts } }));
  output.result(secret, `Bound ${name} to ${secret.hosts.join(', ')}.`);
}

async function typedIn(name: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const typed = await password({ message: `The value of ${name}`, output: process.stderr });
  if (isCancel(typed)) throw new CliError('usage', 'Nothing was changed.');
  return typed ?? '';
}

export async function removeSecret(settings: Settings, name: string, output: Output): Promise<void> {
  await withAccess(settings, (access) => access.call('removeSecret', { params: { name } }));
  output.result({}, `Forgot ${name}.`);
}

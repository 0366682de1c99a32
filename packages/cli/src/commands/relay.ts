// A relay in the foreground, and invitations to it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import {
  inviteTo,
  openRelayFolder,
  readRelayConfig,
  type RelayConfig,
  RelayConfigError,
  RelayFolderInUse,
  serveRelay,
} from '@parley/relay';
import { CliError } from '../exit.ts';
import { me } from '../program-name.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';

export interface RelayFlags {
  port?: string | undefined;
  name?: string | undefined;
  data?: string | undefined;
}

function configOf({ env }: Settings, { port, name, data }: RelayFlags): RelayConfig {
  const options = { PARLEY_RELAY_PORT: ['--port', port], PARLEY_RELAY_NAME: ['--name', name], PARLEY_RELAY_DATA: ['--data', data] };
  const given = Object.entries(options).filter(([, [, value]]) => value !== undefined);
  try {
    return readRelayConfig({ ...env, ...Object.fromEntries(given.map(([variable, [, value]]) => [variable, value])) });
  } catch (error) {
    // In the words of the command line, where they came from it.
    const named = (text: string): string => given.reduce((said, [variable, [flag]]) => said.replaceAll(variable, flag!), text);
    if (error instanceof RelayConfigError) throw new CliError('usage', named(error.message), { cause: error });
    throw error;
  }
}

/** Returns when the relay listens; it runs on until a signal stops it. */
export async function serve(settings: Settings, options: RelayFlags, output: Output): Promise<void> {
  const config = configOf(settings, options);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const served = await serveRelay(config, log).catch((error: unknown) => {
    throw whyNot(error as NodeJS.ErrnoException, config);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void served.close());
  const { name, key } = served.relay;
  output.result(
    { url: served.url, relay: name, key: key.public, data: config.dataDir },
    `The relay ${name} listens at ${served.url}. Its folder is ${config.dataDir}; Ctrl-C stops it.\nInvite somebody with: ${me} relay invite${options.data === undefined ? '' : ` --data ${options.data}`}`,
  );
}

function whyNot(error: NodeJS.ErrnoException, { port }: RelayConfig): Error {
  if (error instanceof RelayFolderInUse)
    return new CliError('unavailable', error.message, {
      code: 'in_use',
      hint: 'Stop it, or name another folder with --data or PARLEY_RELAY_DATA.',
    });
  if (error.code === 'EADDRINUSE')
    return new CliError('unavailable', `Port ${port} is taken by another program.`, {
      code: 'port_taken',
      hint: 'Choose another with --port or PARLEY_RELAY_PORT.',
    });
  return error;
}

/** Also works while the relay runs. The code is the last word. */
export async function invite(settings: Settings, options: RelayFlags, output: Output): Promise<void> {
  const config = configOf(settings, options);
  if (!existsSync(join(config.dataDir, 'relay.key')))
    throw new CliError('not_found', `No relay was started in ${config.dataDir} yet.`, {
      code: 'nothing_there',
      hint: `Start one with \`${me} relay\`, or name its folder with --data or PARLEY_RELAY_DATA.`,
    });
  const { store } = openRelayFolder(config.dataDir);
  try {
    const { code, expiresAt } = await inviteTo(store, Date.now());
    const until = new Date(expiresAt).toISOString();
    output.result({ code, expiresAt: until, relay: config.name }, `Registers one name until ${until.slice(0, 10)}: ${code}`);
  } finally {
    await store.close();
  }
}

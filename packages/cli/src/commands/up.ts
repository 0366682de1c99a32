import type { OnProgress } from '@parley/hub';
import { isHealthy } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';
import { type CommandContext, type GlobalOptions, settingError, type Settings } from '../settings.ts';

interface UpOptions extends GlobalOptions {
  port?: string;
  demo?: true;
  acceptLoss?: true;
  peersHere?: true;
  newSecretsKey?: true;
}

/** Returns when the hub is up; it runs on until a signal stops it. */
export async function up({ settings, output }: CommandContext, options: UpOptions): Promise<void> {
  const { readConfig, up: start } = await import('@parley/hub');
  const env = { ...settings.env, ...(options.port === undefined ? {} : { PARLEY_PORT: options.port }) };
  try {
    const { relayAndPeers } = await import('../hub-peers.ts');
    const { demo = false, acceptLoss = false, peersHere = false, newSecretsKey = false } = options;
    const onProgress: OnProgress = ({ act, done, total }) => output.note(`${act}: step ${done + 1} of ${total} …`);
    const how = { demo, acceptLoss, peersHere, newSecretsKey, onProgress, ...(await relayAndPeers(env, readConfig(env))) };
    if (output.json) await start(env, how, (arrival) => output.result(arrival, ''));
    else await start(env, how);
  } catch (error) {
    if ((error as Error).constructor.name === 'DataDirInUse') throw await inUse(settings, error as Error);
    throw notListening(error as ListenError, settings.env['PARLEY_HOST']) ?? settingError(options, error as Error);
  }
}

async function inUse(settings: Settings, { message }: Error): Promise<CliError> {
  const { readHubInfo } = await import('@parley/hub/data-dir');
  const info = await readHubInfo((await settings.config()).dataDir);
  if (!info || !(await isHealthy(info.url))) {
    const hint = 'It may be starting or stopping, or another command may be at work: try again in a moment.';
    return new CliError('unavailable', message, { code: 'in_use', hint });
  }
  // A launcher that was killed without a word leaves its hub running, in no terminal that could stop it.
  const stop = process.platform === 'win32' ? `taskkill /F /PID ${info.pid}` : `kill ${info.pid}`;
  const hint = `It runs at ${info.url}; \`${me} link\` prints a sign-in link, and \`${stop}\` stops it.`;
  return new CliError('unavailable', message, { code: 'in_use', hint });
}

interface ListenError extends NodeJS.ErrnoException {
  hostname?: string;
  port?: number;
}

/** The address or the port is at fault, not the database, which is looked up by name as well. The error for a taken port is in exit.ts. */
function notListening({ code, syscall, hostname, port }: ListenError, host: string | undefined): CliError | undefined {
  const unknown = syscall === 'getaddrinfo' && hostname !== undefined && hostname === host;
  if (unknown || (syscall === 'listen' && code !== 'EADDRINUSE' && code !== 'EACCES')) {
    return new CliError('usage', `PARLEY_HOST is ${host}, and that is not an address of this machine.`, {
      hint: 'Set it to one, to 0.0.0.0 for all of them, or leave it out: then only this machine reaches the hub.',
    });
  }
  if (syscall === 'listen' && code === 'EACCES') {
    return new CliError('unavailable', `The hub may not listen on port ${port}: permission denied.`, {
      hint: 'Choose one from 1024 on with --port or PARLEY_PORT.',
    });
  }
  return undefined;
}

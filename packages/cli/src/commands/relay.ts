// `parley relay`: runs a relay, makes invitations, and lists the known relays. The operator trusts a changed key here (A2C-10).

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import {
  inviteTo,
  isRelayRunning,
  NatsUnavailable,
  openRelayStore,
  type RelayConfig,
  RelayFolderInUse,
  relayNameIn,
  serveRelay,
  withoutLogin,
  type RelayStore,
} from '@parley/relay';
import { CliError } from '../exit.ts';
import { mountedRelayFolder, mountedRelayName, relayConfigFrom, relaySettingError } from '../mounted-relay.ts';
import { me } from '../hints.ts';
import type { CommandContext } from '../settings.ts';

interface RelayOptions {
  port?: string;
  name?: string;
}

const flags: Readonly<Record<string, string>> = { PARLEY_RELAY_PORT: '--port', PARLEY_RELAY_NAME: '--name', PARLEY_RELAY_DATA: '--data' };

/** `optionByVariable`: the options that were given, for error messages. */
function readConfig({ settings, data }: CommandContext, { port, name }: RelayOptions = {}) {
  const options = { PARLEY_RELAY_PORT: port, PARLEY_RELAY_NAME: name, PARLEY_RELAY_DATA: data };
  const variables = Object.entries(options).filter(([, value]) => value !== undefined);
  const optionByVariable = Object.fromEntries(variables.map(([variable]) => [variable, flags[variable]!]));
  return { config: relayConfigFrom({ ...settings.env, ...Object.fromEntries(variables) }, optionByVariable), optionByVariable };
}

/** Returns when the relay listens; it runs on until a signal stops it. */
export async function serve(context: CommandContext, options: RelayOptions): Promise<void> {
  const { config, optionByVariable } = readConfig(context, options);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const served = await serveRelay(config, log).catch((error: unknown) => {
    throw startError(relaySettingError(optionByVariable, error as Error), config);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void served.close());
  const { name, key } = served.relay;
  context.output.result(
    { url: served.url, relay: name, key: key.public, data: config.dataDir },
    `The relay ${name} listens at ${served.url}. ${placeOf(config)}; Ctrl-C stops it.\nInvite somebody with: ${me} relay invite${context.data === undefined ? '' : ` --data ${context.data}`}`,
  );
}

const placeOf = ({ nats, dataDir }: RelayConfig): string =>
  nats ? `Its data is on ${withoutLogin(nats.servers)}, its key in ${dataDir}` : `Its folder is ${dataDir}`;

function startError(error: NodeJS.ErrnoException, { port }: RelayConfig): Error {
  if (error instanceof RelayFolderInUse)
    return new CliError('unavailable', error.message, {
      code: 'in_use',
      hint: 'Stop it, or name another folder with --data or PARLEY_RELAY_DATA.',
    });
  if (error instanceof NatsUnavailable)
    return new CliError('unavailable', error.message, {
      hint: 'Start the server, change PARLEY_RELAY_NATS, or leave it out: the relay then keeps its data in its folder.',
    });
  if (error.code === 'EADDRINUSE')
    return new CliError('unavailable', `Port ${port} is taken by another program.`, {
      code: 'port_taken',
      hint: 'Choose another with --port or PARLEY_RELAY_PORT.',
    });
  return error;
}

/** A relay has its own folder, or one in the hub's. If both exist, the one of a running relay counts. */
function existingRelay(context: CommandContext): RelayConfig {
  const { env, data } = context;
  const { config } = readConfig(context);
  if (config.nats) return config;
  const isNamed = data === undefined && env['PARLEY_RELAY_DATA'] !== undefined;
  const mounted = mountedRelayFolder(resolve(env['PARLEY_DATA'] ?? '.parley'));
  const folders = [config.dataDir, ...(isNamed ? [] : [mounted])].filter((path) => existsSync(join(path, 'relay.key')));
  const folder = (data === undefined ? folders.find(isRelayRunning) : undefined) ?? folders[0];
  if (folder === undefined)
    throw new CliError('not_found', `No relay was started in ${config.dataDir} yet.`, {
      code: 'nothing_there',
      hint: `Start one with \`${me} relay\` or \`${me} up\`, or name its folder with --data or PARLEY_RELAY_DATA.`,
    });
  const fallbackName = folder === mounted ? mountedRelayName(env['PARLEY_PUBLIC_URL']) : config.fallbackName;
  return { ...config, dataDir: folder, fallbackName };
}

/** Opens the store, also while the relay runs. */
async function withStore<T>(context: CommandContext, act: (store: RelayStore, config: RelayConfig) => Promise<T>): Promise<T> {
  const config = existingRelay(context);
  const store = await openRelayStore(config, pino({ level: 'silent' })).catch((error: unknown) => {
    throw startError(error as Error, config);
  });
  try {
    return await act(store, config);
  } finally {
    await store.close();
  }
}

/** Makes an invitation. Its code ends the line, so that a script can cut it off. */
export const invite = (context: CommandContext): Promise<void> =>
  withStore(context, async (store, config) => {
    const relay = await relayNameIn(store, config);
    const { code, expiresAt } = await inviteTo(store, Date.now());
    const until = new Date(expiresAt).toISOString();
    context.output.result(
      { code, expiresAt: until, relay, data: config.dataDir },
      `Registers one name at ${relay} (the relay ${config.nats ? `on ${withoutLogin(config.nats.servers)}` : `in ${config.dataDir}`}) until ${until.slice(0, 10)}: ${code}`,
    );
  });

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

export async function listRelays(context: CommandContext): Promise<void> {
  const relays = await withStore(context, (store) => store.knownRelays());
  const lines = relays.map(({ name, key, metAt, changedKey, changedAt }) =>
    changedKey === null
      ? `${name}  trusted since ${day(metAt)}  ${key}`
      : `${name}  stopped since ${day(changedAt!)}: it shows the key ${changedKey} instead of ${key}. Compare it with its operator, then: ${me} relay accept ${name} ${changedKey}`,
  );
  context.output.result({ relays }, lines.length > 0 ? lines.join('\n') : 'This relay has met no other one.');
}

/** The operator names the key, so that nobody accepts one that came after the comparison. */
export async function acceptRelay(context: CommandContext, name: string, key: string): Promise<void> {
  const known = await withStore(context, async (store) =>
    (await store.acceptRelayKey(name, key)) ? undefined : ((await store.knownRelay(name)) ?? 'unknown'),
  );
  if (known === undefined)
    return context.output.result({ name, key }, `${name} is trusted with the key ${key}. Its line opens within a minute.`);
  if (known === 'unknown')
    throw new CliError('not_found', `This relay has not met ${name}.`, { hint: `${me} relay others shows the others.` });
  const hint = known.changedKey === null ? 'There is nothing to accept.' : `The key that it shows is ${known.changedKey}.`;
  throw new CliError('failed', `${name} does not show the key ${key}.`, { hint });
}

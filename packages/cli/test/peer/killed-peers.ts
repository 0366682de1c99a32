// A person's peer in processes that kill themselves.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Person } from './people-kit.ts';

const program = fileURLToPath(new URL('killed-process.ts', import.meta.url));

/**
 * Runs the person's peer in processes that kill themselves, until one of them finds nothing left to do. Returns how many were killed.
 * `transfer`: the person offers the coordinator's role in one of them.
 */
export async function killedUntilQuiet(person: Person, marks: string, transfer?: { threadId: string; to: string }): Promise<number> {
  await person.close();
  await appendFile(`${marks}.steps`, '');
  const args = ['--no-warnings', program, person.folder, marks, ...(transfer ? [JSON.stringify(transfer)] : [])];
  let kills = 0;
  for (; ; kills += 1) {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal !== 'SIGKILL') {
      expect(code).toBe(0);
      break;
    }
    expect(kills).toBeLessThan(100);
  }
  await person.open();
  return kills;
}

/** The packets after whose commits the person's peer was killed; the first word is the packet's state. */
export const killedAfter = async (marks: string): Promise<Set<string>> => new Set((await readFile(`${marks}.steps`, 'utf8')).split('\n'));

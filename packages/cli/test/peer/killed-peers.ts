// A person's peer in processes that kill themselves.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Person } from './people-kit.ts';

const program = fileURLToPath(new URL('killed-process.ts', import.meta.url));

/** Runs the person's peer in processes that kill themselves, until one of them finds nothing left to do. Returns how many were killed. */
export async function killedUntilQuiet(person: Person, marks: string): Promise<number> {
  await person.close();
  let kills = 0;
  for (; ; kills += 1) {
    const child = spawn(process.execPath, ['--no-warnings', program, person.folder, marks], { stdio: 'inherit' });
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

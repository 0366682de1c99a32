// The resources that a child has used, for the bench to ask.

import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Processor time of all threads, in microseconds. */
export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export interface Memory {
  /** The size of the main thread's objects, buffers included, after a collection. */
  heap: number;
  /** All threads. */
  rss: number;
}

export async function memoryNow(): Promise<Memory> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) {
    gc();
    await sleep(100);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

// The machine in a sentence: enough to judge the figures by, nothing that names it.

import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { median, round } from './stats.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds until a written page is on the disk: what every acknowledged message has to wait for. */
function syncMs(folder: string): number {
  const path = join(folder, 'sync');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const samples = Array.from({ length: 101 }, () => {
    writeSync(file, page);
    const began = performance.now();
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(path);
  return median(samples);
}

export function machine(folder: string): string {
  const [cpu] = cpus();
  const speed = cpu && cpu.speed > 0 ? ` at ${round(cpu.speed / 1000)} GHz` : '';
  return (
    `${process.platform} ${process.arch}, ${availableParallelism()} cores${speed}, ${round(totalmem() / 1e9)} GB memory, ` +
    `Node ${process.versions.node}, a synced write ${round(syncMs(folder))} ms, load average ${round(loadavg()[0]!)} at the start`
  );
}

/** Resident set of a process in bytes; `ps` counts in KiB everywhere. */
export const rssOf = (pid: number): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;

// The resources that a child has used, for the bench to ask.

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

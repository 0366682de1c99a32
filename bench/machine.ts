// The machine in a sentence: enough to judge the figures by, nothing that names it.

import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { median, round } from './stats.ts';

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

/** HostedPeer set of a process in bytes; `ps` counts in KiB everywhere. */
export const rssOf = (pid: number): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;

// Keeps the clocks of a peer's negotiations while its process runs.

import { sleep } from '../packets/sleep.ts';
import type { Negotiations } from './negotiations.ts';

const [shortestMs, longestMs] = [1000, 60_000];

/** Timeouts, and work that waited; a clock that was set is noticed within a minute. */
export async function keepResuming(negotiations: Negotiations, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = await negotiations.resume({ waits: false });
    await sleep(Math.max(shortestMs, Math.min(longestMs, (next ?? Infinity) - negotiations.now)), signal);
  }
}

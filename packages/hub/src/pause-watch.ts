// A process that is stopped (SIGSTOP, a debugger, a frozen container) or starved cannot tell while it is; it tells when it goes on.

import type { Clock } from './clock.ts';

const everyMs = 1000;
const longMs = 10_000;

/** Calls back with how long the process was paused. Returns what ends the watch. */
export function watchPauses(clock: Pick<Clock, 'mono' | 'after'>, tell: (ms: number) => void): () => void {
  let cancel = (): void => {};
  const look = (since: number): void => {
    const late = clock.mono() - since - everyMs;
    if (late >= longMs) tell(late);
    wait();
  };
  const wait = (): void => {
    const since = clock.mono();
    cancel = clock.after(everyMs, () => look(since));
  };
  wait();
  return () => cancel();
}

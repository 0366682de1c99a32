// Time is a dependency: `now` is the wall (what people mean by a date), `mono` only ever moves on by what has passed
// for this process. Comparing the two shows a suspended machine or a changed clock.

export interface Clock {
  now(): number;
  mono(): number;
  /** Calls back once after `ms` of process time; the returned function cancels. */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

// A process that is stopped (SIGSTOP, a debugger, a frozen container) or starved cannot tell while it is; it tells when it goes on.

const everyMs = 1000;
const longMs = 10_000;

/** Calls back with how long the process was paused. Returns what ends the watch. */
export function watchPauses(clock: Pick<Clock, 'mono' | 'after'>, tell: (ms: number) => void): () => void {
  let cancel = (): void => {};
  const look = (since: number): void => {
    const lateMs = clock.mono() - since - everyMs;
    if (lateMs >= longMs) tell(lateMs);
    wait();
  };
  const wait = (): void => {
    const since = clock.mono();
    cancel = clock.after(everyMs, () => look(since));
  };
  wait();
  return () => cancel();
}

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

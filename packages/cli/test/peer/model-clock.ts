// A clock for questions to models that waits for nothing.

import type { Clock } from '@parley/hub/models';

const longMs = 100_000;

/** Ends each wait between two tries at once, and notes how long it was. The limit of a call stays away. */
export class ModelClock implements Clock {
  readonly waits: number[] = [];

  now(): number {
    return Date.now();
  }

  mono(): number {
    return performance.now();
  }

  after(ms: number, work: () => void): () => void {
    if (ms >= longMs) return () => {};
    const timer = setImmediate(work);
    // Drafts are shown every 200 ms; nobody looks at them here.
    if (ms > 200) this.waits.push(ms);
    return () => clearImmediate(timer);
  }
}

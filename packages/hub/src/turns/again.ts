// What could not be done for the moment is tried again, ever more slowly while it goes on failing.

import type { Clock } from '../clock.ts';

const firstMs = 1000;
const maxMs = 60_000;

export class Again {
  private readonly clock: Clock;
  private tries = 0;
  private cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Once, however often it is asked for meanwhile. */
  later(work: () => void): void {
    this.cancel?.();
    this.cancel = this.clock.after(Math.min(maxMs, firstMs * 2 ** Math.min(this.tries++, 10)), () => {
      this.cancel = undefined;
      work();
    });
  }

  worked(): void {
    this.tries = 0;
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }
}

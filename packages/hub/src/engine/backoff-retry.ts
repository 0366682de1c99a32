// Work that failed for the moment is tried again, ever more slowly while it goes on failing.

import { backoffMs } from '@parley/protocol';
import type { Clock } from '../clock.ts';

const backoff = { firstMs: 1000, maxMs: 60_000 };

export class RetryTimer {
  private readonly clock: Clock;
  private failures = 0;
  private cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Once, however often it is asked for meanwhile. */
  retry(work: () => void): void {
    this.cancel?.();
    this.cancel = this.clock.after(backoffMs(backoff, this.failures++), () => {
      this.cancel = undefined;
      work();
    });
  }

  succeed(): void {
    this.failures = 0;
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }
}

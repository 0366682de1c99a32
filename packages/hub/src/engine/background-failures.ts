// Failures of work in the background: tried again, reported once, and told apart from a database that is away.

// Work that failed for the moment is tried again, ever more slowly while it goes on failing.

import { backoffMs, ParleyError } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import { StorageFullError, StoreAwayError } from '../store/port.ts';

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

/** Reports each error once, by its words: every look finds a damaged row again. */
export class ErrorOnce {
  private readonly reported = new Set<string>();
  private readonly onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  tell(error: unknown): void {
    const text = String(error);
    if (this.reported.has(text)) return;
    if (this.reported.size >= 1000) this.reported.clear();
    this.reported.add(text);
    this.onError(error);
  }
}

/** The database is away, or full: nobody decided anything, and it is to be tried again. */
export const isAway = (error: unknown): boolean =>
  error instanceof ParleyError
    ? error.code === 'unavailable' || error.code === 'storage_full'
    : error instanceof StoreAwayError || error instanceof StorageFullError;

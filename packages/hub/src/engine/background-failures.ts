// Failures of background work: retries with growing pauses, one report per error, and the errors of a database that is away.

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

  /** Replaces an earlier retry that has not run yet, so that repeated failures retry once. */
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

/** Reports each error text once, because every scan finds a damaged row again. */
export class ErrorOnce {
  private readonly reported = new Set<string>();
  private readonly onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  report(error: unknown): void {
    const text = String(error);
    if (this.reported.has(text)) return;
    if (this.reported.size >= 1000) this.reported.clear();
    this.reported.add(text);
    this.onError(error);
  }
}

/** Whether the database is away or full. Nothing was decided then, so the work can be retried. */
export const isAway = (error: unknown): boolean =>
  error instanceof ParleyError
    ? error.code === 'unavailable' || error.code === 'storage_full'
    : error instanceof StoreAwayError || error instanceof StorageFullError;

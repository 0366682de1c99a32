// What could not be begun, because a row that it hangs on is damaged: it is stepped over and holds up no other. Some of them
// are tried again, ever more seldom; when one of those can be begun, all are.

import type { Clock } from '../clock.ts';

const firstMs = 60_000;
const longestMs = 3_600_000;

export class Stuck {
  private readonly clock: Clock;
  private readonly atOnce: number;
  private readonly again: () => void;
  private readonly ids = new Set<string>();
  private readonly retried = new Set<string>();
  private readonly reported = new Set<string>();
  private rounds = 0;
  private cancel: (() => void) | undefined;

  constructor(clock: Clock, atOnce: number, again: () => void) {
    this.clock = clock;
    this.atOnce = atOnce;
    this.again = again;
  }

  list(): string[] {
    return [...this.ids];
  }

  /** Reported once: however many hang on it, it is one row that is damaged. */
  met(error: unknown, report: (error: unknown) => void, id?: string): void {
    if (id !== undefined) this.ids.add(id);
    this.later();
    const text = String(error);
    if (this.reported.has(text)) return;
    if (this.reported.size >= 1000) this.reported.clear();
    this.reported.add(text);
    report(error);
  }

  private later(): void {
    this.cancel ??= this.clock.after(Math.min(longestMs, firstMs * 2 ** Math.min(this.rounds++, 10)), () => {
      this.cancel = undefined;
      this.retried.clear();
      // Those that have waited longest.
      for (const id of this.list().slice(0, this.atOnce)) {
        this.ids.delete(id);
        this.retried.add(id);
      }
      this.again();
      if (this.ids.size > 0) this.later();
    });
  }

  /** It was begun. True: it had been stuck, and so none is any more. */
  freed(id: string): boolean {
    if (!this.retried.delete(id)) return false;
    this.ids.clear();
    this.reported.clear();
    this.rounds = 0;
    return true;
  }

  stop(): void {
    this.cancel?.();
  }
}

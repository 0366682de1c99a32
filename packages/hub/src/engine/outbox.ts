// Performs effects outside the process, after the commit that decided them. An effect is leased, performed, and only
// then struck off: a crash in between performs it again, so every performer must be safe to repeat.

import { backoffMs } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/port.ts';
import { dueEffectCounts, dueEffects, type DuePlace } from '../store/reads/due-timers.ts';
import { platform, type Tx } from './command.ts';
import type { Engine } from './engine.ts';
import { ErrorOnce } from './background-failures.ts';

export type Performer = (payload: Record<string, string>) => Promise<void>;

const leaseMs = 60_000;
const idleMs = 1000;
const page = 50;
/** The longest wait and the longest lease of an effect. */
export const longestWaitMs = 300_000;
/** 1 s, 2 s, 4 s … 5 min. The outbox never gives up by itself: an effect stays due, and shows in the outbox. */
const backoff = { firstMs: 1000, maxMs: longestWaitMs };

export class EffectOutbox {
  private readonly options: {
    store: Store;
    engine: Engine;
    clock: Clock;
    performers: Record<string, Performer>;
    /** Effects of this kind are another hub's to perform. */
    leaves?: (kind: string) => boolean;
    onError: (error: unknown) => void;
  };
  private cancel: (() => void) | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;
  /** Effects tried in the last round. */
  private performed = 0;
  private readonly errors: ErrorOnce;

  constructor(options: EffectOutbox['options']) {
    this.options = options;
    this.errors = new ErrorOnce(options.onError);
  }

  wake(): void {
    if (this.stopped || this.running) return;
    this.cancel?.();
    this.running = this.round().finally(() => {
      this.running = undefined;
      if (!this.stopped) this.cancel = this.options.clock.after(idleMs, () => this.wake());
    });
  }

  /** Resolves when nothing is due any more that can be performed. Entries that another process has leased are waited for. */
  async settled(): Promise<void> {
    const { store, clock } = this.options;
    for (let tried = false; ;) {
      while (this.running) await this.running;
      const now = clock.now();
      const due = await dueEffectCounts(store, now);
      if (this.stopped) return;
      if (due.free > 0 && (!tried || this.performed > 0)) {
        tried = true;
        this.wake();
      } else if (due.until === null) return;
      else {
        await new Promise<void>((resolve) => clock.after(Math.min(idleMs, due.until! - now), resolve));
        tried = false;
      }
    }
  }

  private async round(): Promise<void> {
    const { store, clock, onError } = this.options;
    this.performed = 0;
    try {
      let next: DuePlace | undefined;
      do {
        const now = clock.now();
        const due = await dueEffects(store, now, next, page);
        due.damaged.forEach((error) => this.errors.report(error));
        for (const { id, kind } of due.rows) {
          if (this.stopped) return;
          if (this.options.leaves?.(kind) === true) continue;
          if (await this.attempt(id)) this.performed++;
        }
        ({ next } = due);
      } while (next && !this.stopped);
    } catch (error) {
      if (!this.stopped) onError(error);
    }
  }

  /** False: it is as it was. */
  private async attempt(id: string): Promise<boolean> {
    const { engine, performers, onError } = this.options;
    try {
      const { effect } = await engine.submit({ type: 'outbox.lease', by: platform, id, forMs: leaseMs });
      if (!effect) return false;
      try {
        const perform = performers[effect.kind];
        if (!perform) throw new Error(`Nothing performs ${effect.kind}`);
        await perform(JSON.parse(effect.payload) as Record<string, string>);
        await engine.submit({ type: 'outbox.done', by: platform, id });
      } catch (error) {
        onError(error);
        await engine.submit({
          type: 'outbox.failed',
          by: platform,
          id,
          error: String(error),
          retryInMs: backoffMs(backoff, effect.attempts - 1),
        });
      }
      return true;
    } catch (error) {
      if (!this.stopped) this.errors.report(error);
      return false;
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.running;
  }
}

// Effects outside the process, after the commit. Each is performed until it succeeds, so it must be safe to repeat.

export function addEffect(kind: string, payload: Record<string, string | undefined>, tx: Tx): void {
  tx.insert('outbox', {
    id: tx.ids.next('effect'),
    kind,
    payload: JSON.stringify(payload),
    due_at: tx.now,
    attempts: 0,
    leased_until: 0,
    last_error: null,
  });
}

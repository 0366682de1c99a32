// Performs effects outside the process, after the commit that decided them. An effect is leased, performed, and only
// then struck off: a crash in between performs it again, so every performer must be safe to repeat.

import type { Clock } from '../clock.ts';
import type { Store } from '../store/port.ts';
import { operator } from './command.ts';
import type { Engine } from './group.ts';

export type Performer = (payload: Record<string, string>) => Promise<void>;

const leaseMs = 60_000;
const idleMs = 1000;
/** 1 s, 2 s, 4 s … 5 min. It never gives up by itself: what was promised stays promised, and shows in the outbox. */
const retryMs = (attempts: number): number => Math.min(300_000, 1000 * 2 ** Math.min(attempts - 1, 9));

export class Outbox {
  private readonly options: {
    store: Store;
    engine: Engine;
    clock: Clock;
    performers: Record<string, Performer>;
    onError: (error: unknown) => void;
  };
  private cancel: (() => void) | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(options: Outbox['options']) {
    this.options = options;
  }

  wake(): void {
    if (this.stopped || this.running) return;
    this.cancel?.();
    this.running = this.round().finally(() => {
      this.running = undefined;
      if (!this.stopped) this.cancel = this.options.clock.after(idleMs, () => this.wake());
    });
  }

  /** Resolves when nothing is due any more. */
  async settled(): Promise<void> {
    const { store, clock } = this.options;
    for (;;) {
      while (this.running) await this.running;
      const due = await store.all('select 1 from outbox where due_at <= ? limit 1', [clock.now()]);
      if (due.length === 0) return;
      this.wake();
    }
  }

  private async round(): Promise<void> {
    const { store, engine, clock, performers, onError } = this.options;
    try {
      const { rows: due, damaged } = await store.intact('outbox', 'where due_at <= ? and leased_until <= ? order by due_at, id limit 50', [
        clock.now(),
        clock.now(),
      ]);
      damaged.forEach(onError);
      for (const { id } of due) {
        const { effect } = await engine.submit({ type: 'outbox.lease', by: operator, id, forMs: leaseMs });
        if (!effect) continue;
        try {
          const perform = performers[effect.kind];
          if (!perform) throw new Error(`Nothing performs ${effect.kind}`);
          await perform(JSON.parse(effect.payload) as Record<string, string>);
          await engine.submit({ type: 'outbox.done', by: operator, id });
        } catch (error) {
          onError(error);
          await engine.submit({ type: 'outbox.failed', by: operator, id, error: String(error), retryInMs: retryMs(effect.attempts) });
        }
      }
    } catch (error) {
      if (!this.stopped) onError(error);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.running;
  }
}

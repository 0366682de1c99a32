// Follows the facts in commit order and passes them on, whoever committed them. Everything live hangs on this one
// reader: sockets, the search index, caches that must forget.

import type { Head, Store } from '../store/port.ts';
import type { FactRow } from '../store/tables.ts';

type Listener = (facts: FactRow[]) => void | Promise<void>;
const batch = 500;

export class Tail {
  private readonly store: Store;
  private readonly onError: (error: unknown) => void;
  private readonly listeners = new Set<Listener>();
  private position: Head = { epoch: '', seq: 0 };
  private pumping: Promise<void> | undefined;
  private again = false;
  private stopped = false;
  private off: (() => void) | undefined;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.store = store;
    this.onError = onError;
  }

  async start(): Promise<void> {
    this.position = await this.store.head();
    this.off = this.store.onCommit(() => this.wake());
  }

  /** Everything up to here was passed on. */
  get head(): Head {
    return this.position;
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  wake(): void {
    this.again = true;
    this.pumping ??= this.pump().finally(() => (this.pumping = undefined));
  }

  private async pump(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false;
      try {
        const { rows: facts, damaged } = await this.store.intact('facts', 'where seq > ? order by seq limit ?', [this.position.seq, batch]);
        // A damaged fact is reported and passed over: what came after it is still to be told.
        damaged.forEach(this.onError);
        if (facts.length + damaged.length === batch) this.again = true;
        // Listeners are awaited: a batch is through everywhere before the next is read, so order holds.
        if (facts.length > 0) for (const listener of this.listeners) await listener(facts);
        const seq = this.position.seq + facts.length + damaged.length;
        this.position = { epoch: facts.at(-1)?.epoch ?? this.position.epoch, seq };
      } catch (error) {
        this.onError(error);
        await new Promise((resolve) => setTimeout(resolve, 250));
        this.again = true;
      }
    }
  }

  /** Resolves when all that is committed now has been passed on. */
  async settled(): Promise<void> {
    this.wake();
    while (this.pumping) await this.pumping;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.off?.();
    await this.pumping;
  }
}

// Follows the facts in commit order and passes them on, whichever hub committed them. Everything live hangs on this one
// reader: sockets, the search index, caches that must forget.

import { type Head, type PlacedFact, type Store, StoreAwayError } from '../store/port.ts';
import { WakeLoop } from './wake-loop.ts';

type Listener = (facts: PlacedFact[]) => void | Promise<void>;
const batch = 500;
/** So often a batch that a listener fails on is tried again whole: what it reads may only be away for the moment. */
const maxTries = 3;
const retryMs = 250;

export class Tail {
  private readonly store: Store;
  private readonly onError: (error: unknown) => void;
  private readonly listeners = new Set<Listener>();
  private position: Head = { epoch: '', seq: 0 };
  private readonly pump: WakeLoop;
  private again = false;
  private fresh: PlacedFact[] = [];
  private stopped = false;
  private off: (() => void) | undefined;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.store = store;
    this.onError = onError;
    const isDue = (): boolean => (this.again || this.fresh.length > 0) && !this.stopped;
    this.pump = new WakeLoop(isDue, () => this.passNext());
  }

  async start(): Promise<void> {
    this.position = await this.store.head();
    this.off = this.store.onCommit((own) => this.wake(own));
  }

  /** Facts up to here were passed on. */
  get head(): Head {
    return this.position;
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** `own`: committed by this hub, so that they need not be read. */
  wake(own?: PlacedFact[]): void {
    if (own) this.fresh.push(...own);
    else this.again = true;
    this.pump.wake();
  }

  private passNext(): Promise<void> {
    const own = this.takeFresh();
    return own.length > 0 ? this.pass(own, 0) : this.read();
  }

  /** Own facts that come next. None when another hub's lie in between: then all of them are read. */
  private takeFresh(): PlacedFact[] {
    const from = this.fresh.findIndex((fact) => fact.seq > this.position.seq);
    if (from === -1 || this.fresh[from]!.seq !== this.position.seq + 1) return [];
    const next = this.fresh.slice(from, from + batch);
    const gap = next.findIndex((fact, i) => fact.seq !== next[0]!.seq + i);
    return gap === -1 ? next : next.slice(0, gap);
  }

  private async read(): Promise<void> {
    this.again = false;
    this.fresh = [];
    try {
      const { rows, damaged } = await this.store.intact('facts', { seq: { '>': this.position.seq } }, { order: 'seq', limit: batch });
      // A damaged fact is reported and passed over: later ones must still go out.
      damaged.forEach(this.onError);
      if (rows.length + damaged.length === batch) this.again = true;
      await this.pass(rows, damaged.length);
    } catch (error) {
      this.onError(error);
      this.again = true;
      await pause();
    }
  }

  private async pass(facts: PlacedFact[], damaged: number): Promise<void> {
    // Listeners are awaited: a batch is through everywhere before the next one, so order holds.
    if (facts.length > 0) for (const listener of this.listeners) await this.give(listener, facts);
    const seq = this.position.seq + facts.length + damaged;
    this.position = { epoch: facts.at(-1)?.epoch ?? this.position.epoch, seq };
    this.fresh = this.fresh.filter((fact) => fact.seq > seq);
  }

  /**
   * Only the listener that failed is asked again, so nobody gets a fact twice. One that keeps failing is given fact by fact and
   * goes without the one it cannot take: whatever is wrong with it, it must not keep everything after it from everyone.
   */
  private async give(listener: Listener, facts: PlacedFact[], tries = maxTries): Promise<void> {
    for (let tried = 1; !this.stopped; tried++) {
      try {
        await listener(facts);
        return;
      } catch (error) {
        this.onError(error);
        // While the database is away nothing can go out; that is no fault of these facts.
        if (error instanceof StoreAwayError || tried < tries) await pause();
        else break;
      }
    }
    if (facts.length > 1) for (const fact of facts) await this.give(listener, [fact], 2);
  }

  /** Resolves when all that is committed now has been passed on. */
  async settled(): Promise<void> {
    this.wake();
    await this.pump.settled();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.off?.();
    await this.pump.settled();
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, retryMs));

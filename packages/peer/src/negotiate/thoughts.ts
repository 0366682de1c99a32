// Thoughts of a brain that takes its time, beside the peer's turn: packets arrive and people answer meanwhile. A thought counts only
// for what it began from. A restart begins it again, because the evaluation is still due.

import type { BrainMove } from './brain.ts';

/** A step that passed its checks, or why there is none. */
export interface Thought {
  move?: BrainMove;
  /** Why no step was valid. */
  problem?: string;
  /** Why no model answered. */
  away?: string;
  regenerations: number;
  /** Fields that steps carried and that the peer may not get. */
  leaks: string[];
}

interface OpenThought {
  basis: string;
  ending: AbortController;
  done: Promise<void>;
  thought?: Thought;
}

export class Thoughts {
  readonly #open = new Map<string, OpenThought>();
  readonly #onReady: (key: string) => Promise<void>;

  /** `onReady`: looks at the negotiation again. */
  constructor(onReady: (key: string) => Promise<void>) {
    this.#onReady = onReady;
  }

  /** The thought about this basis, once; undefined while it lasts. One about an earlier basis is given up. */
  about(key: string, basis: string, think: (signal: AbortSignal) => Promise<Thought>): Thought | undefined {
    const open = this.#open.get(key);
    if (open?.basis === basis) {
      if (open.thought) this.#open.delete(key);
      return open.thought;
    }
    open?.ending.abort();
    const ending = new AbortController();
    const begun: OpenThought = { basis, ending, done: Promise.resolve() };
    begun.done = this.#follow(key, begun, think(ending.signal));
    this.#open.set(key, begun);
    return undefined;
  }

  async #follow(key: string, begun: OpenThought, thinking: Promise<Thought>): Promise<void> {
    try {
      begun.thought = await thinking;
    } catch {
      // It was given up: another one has begun, or the peer stops.
    }
    if (begun.ending.signal.aborted) return;
    await this.#onReady(key);
    if (this.#open.get(key) === begun) this.#open.delete(key);
  }

  /** Resolves when nothing is being thought about. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all([...this.#open.values()].map(({ done }) => done));
  }

  end(): void {
    for (const { ending } of this.#open.values()) ending.abort();
    this.#open.clear();
  }
}

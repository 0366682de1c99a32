// Thoughts of a brain that takes its time, beside the peer's turn: packets arrive and people answer meanwhile. A thought counts only
// for what it began from. A restart begins it again, because the evaluation is still due.

import type { BrainMove } from './peer-brain.ts';
import { sleep } from '../packets/waiting.ts';
import type { Negotiations } from './negotiations.ts';

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

// Actions that reach other machines, beside the peer's turn: packets arrive and people answer meanwhile (A2C-29). The journal says that
// one was begun; how it ended is stored in a later turn. After a restart the journal alone counts.

export interface ActionEnd {
  /** What it threw; absent: it was done. */
  error?: unknown;
}

export const endOf = (acting: Promise<void>): Promise<ActionEnd> =>
  acting.then(
    () => ({}),
    (error: unknown) => ({ error }),
  );

export class RunningActions {
  /** By name; undefined while it runs. */
  readonly #ends = new Map<string, ActionEnd | undefined>();
  readonly #following = new Set<Promise<void>>();
  #isStopped = false;

  /** Begins it under this name, or says how the one that was begun ended; undefined while it runs. */
  take(name: string, act: () => Promise<void>, onEnd: () => Promise<void>): ActionEnd | undefined {
    const end = this.#ends.get(name);
    if (end) this.#ends.delete(name);
    if (end || this.#ends.has(name)) return end;
    this.#ends.set(name, undefined);
    const following = this.#follow(name, act(), onEnd).finally(() => this.#following.delete(following));
    this.#following.add(following);
    return undefined;
  }

  has(name: string): boolean {
    return this.#ends.has(name);
  }

  async #follow(name: string, acting: Promise<void>, onEnd: () => Promise<void>): Promise<void> {
    this.#ends.set(name, await endOf(acting));
    if (!this.#isStopped) await onEnd();
  }

  /** Resolves when none runs any more, and what followed from them is stored. */
  async settled(): Promise<void> {
    while (this.#following.size > 0) await Promise.all(this.#following);
  }

  /** What still runs is looked at after the next start. */
  stop(): void {
    this.#isStopped = true;
  }
}

// Keeps the clocks of a peer's negotiations while its process runs.

const [shortestMs, longestMs] = [1000, 60_000];

/** Timeouts, and work that waited; a clock that was set is noticed within a minute. */
export async function keepResuming(negotiations: Negotiations, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = await negotiations.resume({ waits: false });
    await sleep(Math.max(shortestMs, Math.min(longestMs, (next ?? Infinity) - negotiations.now)), signal);
  }
}

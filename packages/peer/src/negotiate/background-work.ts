// Work that runs beside the peer's turn, so that packets arrive and people answer meanwhile: thoughts of a slow brain, actions that call
// other machines (A2C-29), and the clock of the negotiations.

import type { BrainMove } from './peer-brain.ts';
import { sleep } from '../packets/waiting.ts';
import type { Negotiations } from './negotiations.ts';

/** A step that passed its checks, or the reason why there is none. */
export interface Thought {
  move?: BrainMove;
  /** The reason why no step was valid. */
  problem?: string;
  /** The reason why no model answered. */
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

/** A thought counts only for the state from which it began. A restart begins it again, because the evaluation is still due. */
export class Thoughts {
  readonly #open = new Map<string, OpenThought>();
  readonly #onReady: (key: string) => Promise<void>;

  /** `onReady` evaluates the negotiation again. */
  constructor(onReady: (key: string) => Promise<void>) {
    this.#onReady = onReady;
  }

  /** Returns the thought about this basis once; undefined until it is finished. A thought about an earlier basis is aborted. */
  about(key: string, basis: string, think: (signal: AbortSignal) => Promise<Thought>): Thought | undefined {
    const open = this.#open.get(key);
    if (open?.basis === basis) {
      if (open.thought) this.#open.delete(key);
      return open.thought;
    }
    open?.ending.abort();
    const ending = new AbortController();
    const begunThought: OpenThought = { basis, ending, done: Promise.resolve() };
    begunThought.done = this.#follow(key, begunThought, think(ending.signal));
    this.#open.set(key, begunThought);
    return undefined;
  }

  async #follow(key: string, begunThought: OpenThought, thinking: Promise<Thought>): Promise<void> {
    try {
      begunThought.thought = await thinking;
    } catch {
      // The thought was aborted, because another one has begun or the peer stops.
    }
    if (begunThought.ending.signal.aborted) return;
    await this.#onReady(key);
    if (this.#open.get(key) === begunThought) this.#open.delete(key);
  }

  /** Resolves when no thought runs. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all([...this.#open.values()].map(({ done }) => done));
  }

  end(): void {
    for (const { ending } of this.#open.values()) ending.abort();
    this.#open.clear();
  }
}

export interface ActionEnd {
  /** The error of the action; absent if it succeeded. */
  error?: unknown;
}

export const endOf = (acting: Promise<void>): Promise<ActionEnd> =>
  acting.then(
    () => ({}),
    (error: unknown) => ({ error }),
  );

/** The journal has the beginning of each action, and a later turn stores its end. After a restart only the journal counts. */
export class RunningActions {
  /** The ends by name; undefined while an action runs. */
  readonly #ends = new Map<string, ActionEnd | undefined>();
  readonly #following = new Set<Promise<void>>();
  #isStopped = false;

  /** Begins the action of this name, or returns its end; undefined while it runs. */
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

  /** Resolves when no action runs, and the ends of all are stored. */
  async settled(): Promise<void> {
    while (this.#following.size > 0) await Promise.all(this.#following);
  }

  /** The next start of the peer handles actions that still run. */
  stop(): void {
    this.#isStopped = true;
  }
}

const [shortestMs, longestMs] = [1000, 60_000];

/** Runs timeouts and waiting work while the process runs. It looks at least once a minute, to notice a clock that was set. */
export async function keepResuming(negotiations: Negotiations, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = await negotiations.resume({ waits: false });
    await sleep(Math.max(shortestMs, Math.min(longestMs, (next ?? Infinity) - negotiations.now)), signal);
  }
}

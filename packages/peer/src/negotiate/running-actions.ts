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

// Keeps the search index level with the facts, and holds up no request.

import type { Store } from '../store/port.ts';
import { WakeLoop } from './wake-loop.ts';

const batch = 500;
/** Facts gather for this long: indexed as they come, they would take as much of the writer's time as the messages do. */
const restMs = 100;
/**
 * The index takes a twentieth of the time at most: under load it falls behind and catches up later, because no answer waits
 * for it.
 */
const restPerWork = 19;

export class Indexer {
  private readonly store: Store;
  private readonly onError: (error: unknown) => void;
  private readonly rounds: WakeLoop;
  private again = false;
  private stopped = false;
  private settling = false;
  private hurry: (() => void) | undefined;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.store = store;
    this.onError = onError;
    this.rounds = new WakeLoop(
      () => this.again && !this.stopped,
      () => this.round(),
    );
  }

  wake(): void {
    this.again = true;
    this.rounds.wake();
  }

  private async round(): Promise<void> {
    await this.rest(restMs);
    this.again = false;
    try {
      for (let hasMore = true; hasMore && !this.stopped;) {
        const began = performance.now();
        hasMore = await this.step();
        if (hasMore) await this.rest((performance.now() - began) * restPerWork);
      }
    } catch (error) {
      if (!this.stopped) this.onError(error);
    }
  }

  private rest(ms: number): Promise<void> {
    if (this.settling) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async step(): Promise<boolean> {
    const from = await this.store.search.position();
    const { rows: facts, damaged } = await this.store.intact('facts', { seq: { '>': from } }, { order: 'seq', limit: batch });
    const read = facts.length + damaged.length;
    if (read === 0) return false;
    const ids = [
      ...new Set(
        facts.filter((fact) => ['message.posted', 'message.edited', 'message.deleted'].includes(fact.type)).map((fact) => fact.subject_id!),
      ),
    ];
    // The text as it is now: an edit indexes the newest version, and a deleted message leaves nothing behind.
    const found = ids.length === 0 ? { rows: [], damaged: [] } : await this.store.intact('messages', { id: ids });
    const { rows } = found;
    [...damaged, ...found.damaged].forEach(this.onError);
    const puts = rows.filter((row) => row.body !== null).map((row) => ({ seq: row.seq, body: row.body! }));
    const removes = rows.filter((row) => row.body === null).map((row) => row.seq);
    // Facts are numbered without gaps, so their count is how far this went.
    await this.store.search.write(from, from + read, puts, removes);
    return read === batch;
  }

  /** Resolves when all that is committed now can be found. */
  async settled(): Promise<void> {
    this.settling = true;
    this.wake();
    this.hurry?.();
    await this.rounds.settled();
    this.settling = false;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.hurry?.();
    await this.rounds.settled();
  }
}

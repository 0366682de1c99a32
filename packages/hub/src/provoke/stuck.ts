// What could not be begun, because a row that it hangs on is damaged: it is stepped over and holds up no other. Of those that
// hang on the same row one is tried again now and then; when it can be begun, all of them are.

import type { Clock } from '../clock.ts';
import { ToldOnce } from '../engine/error-once.ts';

const firstMs = 60_000;
const longestMs = 480_000;
/** So many rows at a time: each that is still damaged is an error of the database's. */
const triedTogether = 16;

export class Stuck {
  private readonly clock: Clock;
  private readonly again: () => void;
  /** By what was said of it, which names the row. */
  private readonly ids = new Map<string, string>();
  private readonly retried = new Map<string, string>();
  private readonly once: ToldOnce;
  private rounds = 0;
  private metAt = -Infinity;
  private cancel: (() => void) | undefined;

  constructor(clock: Clock, onError: (error: unknown) => void, again: () => void) {
    this.clock = clock;
    this.once = new ToldOnce(onError);
    this.again = again;
  }

  get size(): number {
    return this.ids.size;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** Told once: however many hang on it, and however often they are tried, it is one row that is damaged. */
  met(error: unknown, id?: string): void {
    const now = this.clock.mono();
    // Whatever was, it has been over for long.
    if (now - this.metAt > 2 * longestMs) this.forget();
    this.metAt = now;
    if (id !== undefined) this.ids.set(id, String(error));
    this.later();
    this.once.tell(error);
  }

  private forget(): void {
    this.rounds = 0;
    this.once.forget();
  }

  private later(): void {
    this.cancel ??= this.clock.after(Math.min(longestMs, firstMs * 2 ** Math.min(this.rounds++, 10)), () => {
      this.cancel = undefined;
      this.retried.clear();
      // One for each row, first those that have waited longest: what is tried in vain comes last.
      const first = new Map([...this.ids].toReversed().map(([id, text]) => [text, id]));
      for (const [id, text] of [...this.ids].filter(([one, text]) => first.get(text) === one).slice(0, triedTogether)) {
        this.ids.delete(id);
        this.retried.set(id, text);
      }
      this.again();
      if (this.ids.size > 0) this.later();
    });
  }

  /** It was begun. True: it had been stuck, and those that hung on the same row are not any more. */
  freed(id: string): boolean {
    const mended = this.retried.get(id);
    if (mended === undefined) return false;
    this.retried.delete(id);
    for (const [one, text] of this.ids) if (text === mended) this.ids.delete(one);
    this.forget();
    // What else waits, one that was left running among it, may have been mended as well: not for longer than if it was only just met.
    if (this.cancel) {
      this.cancel();
      this.cancel = undefined;
      this.later();
    }
    return true;
  }

  /** Another hub is at them now. */
  clear(): void {
    this.ids.clear();
    this.forget();
  }

  stop(): void {
    this.cancel?.();
  }
}

// Reports to the hub, each repeated until the hub has stored it. Only the latest state of a thing counts.

import { backoffDelay } from '@parley/protocol';
import { sleep } from '../packets/sleep.ts';

export interface Report {
  /** A later report with the same name replaces it. */
  name: string;
  /** What is true now; undefined: nothing to report. */
  read: () => Promise<object | undefined>;
  send: (value: never) => Promise<void>;
}

const backoff = { firstMs: 500, maxMs: 60_000 };

export class Reporter {
  readonly #signal: AbortSignal;
  readonly #random: () => number;
  readonly #due = new Map<string, Report>();
  /** What the hub has stored. */
  readonly #stored = new Map<string, string>();
  /** How long the soonest of them waits. */
  readonly #later = new Map<string, number>();
  #sending: Promise<void> | undefined;

  constructor(signal: AbortSignal, random: () => number) {
    this.#signal = signal;
    this.#random = random;
  }

  /** `afterMs`: later reports of the same thing within this time count instead. */
  note(report: Report, afterMs = 0): void {
    if (afterMs > 0) return void this.#noteLater(report, afterMs);
    this.#due.set(report.name, report);
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async #noteLater(report: Report, ms: number): Promise<void> {
    if (ms >= (this.#later.get(report.name) ?? Infinity)) return;
    this.#later.set(report.name, ms);
    await sleep(ms, this.#signal);
    if (this.#later.get(report.name) === ms) this.#later.delete(report.name);
    if (!this.#signal.aborted) this.note(report);
  }

  /** Resolves when nothing is due, or at the end. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let attempt = 0; this.#due.size > 0 && !this.#signal.aborted;) {
      const [report] = this.#due.values();
      this.#due.delete(report!.name);
      try {
        await this.#sendOne(report!);
        attempt = 0;
      } catch {
        // A newer report of the same thing takes its place.
        if (!this.#due.has(report!.name)) this.#due.set(report!.name, report!);
        await sleep(backoffDelay(attempt++, this.#random, backoff), this.#signal);
      }
    }
  }

  async #sendOne({ name, read, send }: Report): Promise<void> {
    const value = await read();
    if (value === undefined) return;
    const text = JSON.stringify(value);
    if (this.#stored.get(name) === text) return;
    await send(value as never);
    this.#stored.set(name, text);
  }
}

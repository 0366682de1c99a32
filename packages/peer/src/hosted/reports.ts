// Reports to the hub. Each is repeated until the hub has stored it, and only the latest state of its subject counts.

import { backoffDelay } from '@parley/protocol';
import { sleep } from '../packets/waiting.ts';

export interface Report<T extends object> {
  /** A later report with the same name replaces it. */
  name: string;
  /** Reads the present state when the report is sent; undefined if there is nothing to report. */
  read: () => Promise<T | undefined>;
  send: (value: T) => Promise<void>;
}

interface DueReport {
  name: string;
  /** Sends the present state, unless the hub has stored it. */
  send: () => Promise<void>;
}

const backoff = { firstMs: 500, maxMs: 60_000 };

export class Reporter {
  readonly #signal: AbortSignal;
  readonly #random: () => number;
  readonly #due = new Map<string, DueReport>();
  /** The states that the hub has stored, as JSON. */
  readonly #stored = new Map<string, string>();
  /** The shortest wait of each delayed report. */
  readonly #waits = new Map<string, number>();
  #sending: Promise<void> | undefined;

  constructor(signal: AbortSignal, random: () => number) {
    this.#signal = signal;
    this.#random = random;
  }

  /** `afterMs`: waits this long, so that several reports of one subject become one. */
  report<T extends object>(report: Report<T>, afterMs = 0): void {
    const due = { name: report.name, send: () => this.#sendOne(report) };
    if (afterMs > 0) void this.#addLater(due, afterMs);
    else this.#add(due);
  }

  #add(report: DueReport): void {
    this.#due.set(report.name, report);
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async #addLater(report: DueReport, ms: number): Promise<void> {
    if (ms >= (this.#waits.get(report.name) ?? Infinity)) return;
    this.#waits.set(report.name, ms);
    await sleep(ms, this.#signal);
    if (this.#waits.get(report.name) === ms) this.#waits.delete(report.name);
    if (!this.#signal.aborted) this.#add(report);
  }

  /** Resolves when no report is due, or when the peer closes. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let attempt = 0; this.#due.size > 0 && !this.#signal.aborted;) {
      const [report] = this.#due.values();
      this.#due.delete(report!.name);
      try {
        await report!.send();
        attempt = 0;
      } catch {
        // A newer report of the same subject may have replaced it.
        if (!this.#due.has(report!.name)) this.#due.set(report!.name, report!);
        await sleep(backoffDelay(attempt++, this.#random, backoff), this.#signal);
      }
    }
  }

  async #sendOne<T extends object>({ name, read, send }: Report<T>): Promise<void> {
    const value = await read();
    if (value === undefined) return;
    const text = JSON.stringify(value);
    if (this.#stored.get(name) === text) return;
    await send(value);
    this.#stored.set(name, text);
  }
}

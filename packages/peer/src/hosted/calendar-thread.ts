// Calendars are read in a thread of their own. One that takes too long ends the thread, and the next reading starts another. The thread
// reads a text once for a time.

import { createHash } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { badInput, PeerCallError } from '@parley/protocol';
import type { CalendarSpan } from '../calendar/read-calendar.ts';
import type { CalendarServer } from '../negotiate/personal-calendar.ts';
import { takeTurns } from '../packets/waiting.ts';
import type { HubCalls } from './calls.ts';
import type { CalendarCalls, CalendarReading } from './calendar-worker.ts';
import { startThread, ThreadCalls } from './thread-calls.ts';

const deadlineMs = 10_000;
const day = 86_400_000;
/** Intervals of busy time over all kept readings. */
const mostKept = 200_000;

const tooLong = `The calendar took longer than ${deadlineMs / 1000} seconds to read, or more memory than there is for it. Export a shorter time.`;

interface RunningThread {
  worker: Worker;
  calls: ThreadCalls<CalendarCalls>;
  started: Promise<unknown>;
  readings: number;
}

interface CalendarThreadOptions {
  fetch: HubCalls['fetch'];
  wait?: (ms: number) => Promise<void>;
}

/** Leaves the process free to end. */
const unheldWait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());

export class CalendarThread {
  readonly #fetch: HubCalls['fetch'];
  readonly #wait: (ms: number) => Promise<void>;
  readonly #inTurn = takeTurns();
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, CalendarReading | PeerCallError>();
  #thread: RunningThread | undefined;

  constructor({ fetch, wait = unheldWait }: CalendarThreadOptions) {
    this.#fetch = fetch;
    this.#wait = wait;
  }

  /** One text after the other, so that a slow one is known. */
  async readText(text: string, asked: CalendarSpan): Promise<CalendarReading> {
    const span = wholeDays(asked);
    const key = `${createHash('sha256').update(text).digest('base64url')} ${span.from} ${span.to} ${span.zone}`;
    return this.#inTurn(async () => {
      const known = this.#kept.get(key);
      this.#kept.delete(key);
      const reading = known ?? (await this.#ask((calls) => calls.call('readText', text, span)).catch(asRefusal));
      this.#keep(key, reading);
      if (reading instanceof PeerCallError) throw reading;
      return within(reading, asked);
    });
  }

  async readServer(server: CalendarServer, span: CalendarSpan): Promise<CalendarReading> {
    return this.#ask((calls) => calls.call('readServer', server, span));
  }

  findCalendar(server: CalendarServer): Promise<string> {
    return this.#ask((calls) => calls.call('findCalendar', server));
  }

  async stop(): Promise<void> {
    await this.#thread?.worker.terminate();
  }

  #keep(key: string, reading: CalendarReading | PeerCallError): void {
    this.#kept.set(key, reading);
    let size = 0;
    for (const [old, one] of [...this.#kept].toReversed()) {
      size += 100 + ('busy' in one ? one.busy.length : 0);
      if (size > mostKept) this.#kept.delete(old);
    }
  }

  async #ask<T>(ask: (calls: ThreadCalls<CalendarCalls>) => Promise<T>): Promise<T> {
    const thread = (this.#thread ??= this.#start());
    await thread.started;
    thread.readings += 1;
    const answer = ask(thread.calls).finally(() => (thread.readings -= 1));
    // Its ping comes after the reading.
    if (thread.readings === 1) void this.#watch(thread);
    return answer;
  }

  /** A thread that waits for a server answers; one that reads without end does not. */
  async #watch(thread: RunningThread): Promise<void> {
    while (thread.readings > 0) {
      const answer = thread.calls.call('ping').then(
        () => true,
        () => true,
      );
      const isAlive = await Promise.race([answer, this.#wait(deadlineMs).then(() => false)]);
      if (!isAlive) return void (await thread.worker.terminate());
      await this.#wait(deadlineMs / 20);
    }
  }

  #start(): RunningThread {
    const worker = startThread(new URL('./calendar-worker.ts', import.meta.url), 'calendars', 256);
    worker.unref();
    const calls = new ThreadCalls<CalendarCalls>(worker, { fetch: this.#fetch });
    worker.on('error', () => {});
    worker.once('exit', () => {
      this.#thread = undefined;
      calls.end(badInput(tooLong));
    });
    return { worker, calls, started: calls.call('ping'), readings: 0 };
  }
}

/** So that a reading counts for a day, and not for a moment. */
const wholeDays = ({ from, to, zone }: CalendarSpan): CalendarSpan => ({
  from: Math.floor(from / day) * day,
  to: Math.ceil(to / day) * day,
  zone,
});

const within = ({ events, busy }: CalendarReading, span: CalendarSpan): CalendarReading => ({
  events,
  busy: busy.filter(({ from, to }) => from < span.to && to > span.from),
});

/** A fault of the thread itself is tried again. */
function asRefusal(error: unknown): PeerCallError {
  if (error instanceof PeerCallError && error.code === 'bad_input') return error;
  throw error;
}

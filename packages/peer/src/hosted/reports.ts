// Reports to the hub, each repeated until the hub has stored it. Only the latest state of a thing counts.

import { backoffDelay, type SpaceStatus, PeerCallError } from '@parley/protocol';
import { sleep } from '../packets/waiting.ts';
import { noticeDelayMs } from '@parley/core/space';
import type { SpaceRecord } from '../spaces/space-records.ts';
import type { Spaces } from '../spaces/spaces.ts';
import type { HubCalls } from './calls.ts';

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

// Reports of shared spaces to the hub: that something moved, when a notice is due, and the agreed words for a channel. Changes that
// follow each other fast are one report.

const moveMs = 1000;

export class SpaceReports {
  readonly #reports: Reporter;
  readonly #spaces: () => Spaces;
  readonly #memberId: string | null;
  readonly #hub: Pick<HubCalls, 'space'>;

  constructor(reports: Reporter, spaces: () => Spaces, memberId: string | null, hub: Pick<HubCalls, 'space'>) {
    this.#reports = reports;
    this.#spaces = spaces;
    this.#memberId = memberId;
    this.#hub = hub;
  }

  changed(record: SpaceRecord): void {
    if (!record.definition) return;
    this.#note(record.id, 'moves', moveMs);
    const delay = noticeDelayMs(
      record.changes.map(({ reason }) => reason),
      record.isNew,
    );
    if (isNoticeDue(record) || record.channel) this.#note(record.id, delay < noticeDelayMs([]) ? 'urgent' : 'notice', delay);
  }

  /** As after a restart. */
  all({ id }: SpaceRecord): void {
    this.#note(id, 'notice', 0);
  }

  #note(id: string, kind: 'moves' | 'notice' | 'urgent', afterMs: number): void {
    const memberId = this.#memberId;
    if (memberId === null) return;
    const read = async (): Promise<SpaceStatus | undefined> => {
      const record = await this.#spaces().find(id).catch(ifUnknown);
      if (!record) return undefined;
      const { moves = 0, noticed = 0 } = record;
      if (kind === 'moves') return { spaceId: id, moves, noticed: null, line: null };
      const line = (await this.#spaces().channelLine(record)) ?? null;
      return { spaceId: id, moves, noticed: isNoticeDue(record) ? noticed : null, ...(record.isNew ? { isNew: true } : {}), line };
    };
    const send = async (status: SpaceStatus): Promise<void> => {
      await this.#hub.space(memberId, status);
      if (status.line) await this.#spaces().posted(id, status.line.n).catch(ifUnknown);
    };
    this.#reports.note({ name: `space ${kind} ${id}`, read, send }, afterMs);
  }
}

const isNoticeDue = ({ noticed = 0, seenNoticed = 0 }: SpaceRecord): boolean => noticed > seenNoticed;

/** The person removed it, or left it, meanwhile. */
export function ifUnknown(error: unknown): undefined {
  if (!(error instanceof PeerCallError) || error.code !== 'unknown_id') throw error;
}

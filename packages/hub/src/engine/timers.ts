// Wakes when a timer is due and asks the engine to fire it. The rows are the truth; this loop can die at any moment.
//
// Clocks: a date stays a date, whatever happened in between. A budget of running time must not be eaten by a laptop
// that slept or a hub that was down, so the gap is taken out of running time, and that is recorded as a fact.

import { ParleyError } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/port.ts';
import { type DuePlace, dueTimers, nextTimers } from '../store/reads/due-timers.ts';
import type { TimerRow } from '../store/tables.ts';
import type { TimerKind } from '../store/timer-kinds.ts';
import { readColumns } from '../store/where.ts';
import { isAway, ErrorOnce } from './background-failures.ts';
import { platform } from './command.ts';
import { runningNow } from './steps/facts/timers.ts';
import type { Engine } from './engine.ts';
import { longestWaitMs } from './outbox.ts';
import { Purge } from './purge.ts';

const checkMs = 1000;
const jumpMs = 60_000;
const aliveMs = 15_000;
const pageSize = 100;
/**
 * A timer that is due and does not fire (a damaged row, a database whose clock is behind ours) is not asked for at once
 * again.
 */
const retryStuckMs = 250;

/** Each of these makes an event, which is put to all triggers: with fewer of them in one commit others get their turn in between. */
const eventful: ReadonlySet<TimerKind> = new Set(['schedule.due', 'absence.due']);
const eventfulTogether = 25;

function* inSlices(timers: readonly TimerRow[]): Generator<TimerRow[]> {
  let slice: TimerRow[] = [];
  let events = 0;
  for (const timer of timers) {
    slice.push(timer);
    if (eventful.has(timer.kind)) events++;
    if (events < eventfulTogether) continue;
    yield slice;
    [slice, events] = [[], 0];
  }
  if (slice.length > 0) yield slice;
}

export class Timers {
  private readonly options: { store: Store; engine: Engine; clock: Clock; eventsKeptMs: number; onError: (error: unknown) => void };
  private cancel: (() => void) | undefined;
  private shiftMs = 0;
  private haltedSince: number | null = null;
  private lastWall = 0;
  private lastMono = 0;
  private aliveAt = 0;
  private purgedAt = 0;
  private readonly purge: Purge;
  private checked = false;
  private readonly errors: ErrorOnce;
  private running: Promise<void> | undefined;
  private checking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(options: Timers['options']) {
    this.options = options;
    this.errors = new ErrorOnce(options.onError);
    this.purge = new Purge({ ...options, report: (error) => this.errors.report(error) });
  }

  /** Takes the time the hub was down out of running budgets, then begins. `between`: what stops such a budget needs to know of that time, and comes before anything is due. */
  async start(between: () => Promise<void> = async () => {}): Promise<void> {
    const settings = await this.readSettings();
    // The first check finds the gap since a hub was last alive, by a hub's clock: the database's may be another.
    this.lastWall = (settings.get('hub.alive') as number | undefined) ?? this.options.clock.now();
    this.lastMono = this.options.clock.mono();
    await this.checkClocks().catch((error: unknown) => this.options.onError(error));
    await between();
    await this.tick();
  }

  /** Stops or resumes running time when everything is stopped or released. */
  async halted(): Promise<void> {
    await this.readSettings();
    this.wake();
  }

  private async readSettings(): Promise<Map<string, unknown>> {
    const { rows, damaged } = await this.options.store.intact('settings', { key: ['clock.shift', 'hub.alive', 'halted'] });
    damaged.forEach((error) => this.errors.report(error));
    const settings = new Map(rows.map((row) => [row.key, JSON.parse(row.value) as unknown]));
    this.shiftMs = (settings.get('clock.shift') as number | undefined) ?? 0;
    this.haltedSince = (settings.get('halted') as { since: number } | null | undefined)?.since ?? null;
    return settings;
  }

  /** A new timer may be due before the next check. */
  wake(): void {
    if (this.stopped || this.running) return;
    this.cancel?.();
    this.running = this.tick().finally(() => (this.running = undefined));
  }

  /** Public so that a test can run one round to its end under a simulated clock. */
  async tick(): Promise<void> {
    if (this.stopped) return;
    this.cancel?.();
    let wait = checkMs;
    try {
      await this.checkClocks();
      const stuck = await this.fireDue();
      await this.housekeeping();
      wait = Math.min(checkMs, Math.max(stuck ? retryStuckMs : 1, await this.untilNext()));
    } catch (error) {
      if (!(this.stopped && isAway(error))) this.options.onError(error);
    }
    if (!this.stopped) this.cancel = this.options.clock.after(wait, () => this.wake());
  }

  /** Checks run one after the other: a check that overlapped the recording of a clock jump would use the old time. */
  private checkClocks(): Promise<void> {
    const check = this.checking.then(() => this.check());
    this.checking = check.catch(() => {});
    return check;
  }

  private async check(): Promise<void> {
    const wall = this.options.clock.now();
    const mono = this.options.clock.mono();
    const gap = this.gapAt(wall, mono);
    const why = this.checked ? 'jump' : 'downtime';
    const from = this.lastWall;
    this.checked = true;
    this.lastWall = wall;
    this.lastMono = mono;
    if (Math.abs(gap) <= jumpMs) return;
    try {
      // Timers are checked before the jump is recorded: after a crash in between, the next start sees the jump again.
      if (gap < 0) await this.lookAgain(wall);
      this.shiftMs = (await this.options.engine.submit({ type: 'clock.jump', by: platform, gapMs: gap, from, at: wall, why })).shiftMs;
    } catch (error) {
      // Not written down: the next look must see it again, or it would come out of running time after all.
      this.lastWall -= gap;
      this.checked = why === 'jump';
      throw error;
    }
  }

  private gapAt(wall: number, mono: number): number {
    return Math.round(wall - this.lastWall - (mono - this.lastMono));
  }

  /** Timers that count from a mistaken time of the clock, repeat, or are to be retried are set again. */
  private async lookAgain(now: number): Promise<void> {
    const effects = await readColumns(this.options.store, 'outbox', ['id'], {}, { order: 'id' });
    await this.eachOf(effects, ({ id }) =>
      this.options.engine.submit({ type: 'outbox.sooner', by: platform, id, withinMs: longestWaitMs }),
    );
    const waiting = await readColumns(
      this.options.store,
      'timers',
      ['id'],
      { kind: ['schedule.due', 'absence.due', 'invocation.due'], due_at: { '>': now } },
      { order: ['due_at', 'id'] },
    );
    await this.eachOf(waiting, ({ id }) => this.options.engine.submit({ type: 'timer.fire', by: platform, timerId: id, early: true }));
  }

  private async eachOf(rows: readonly { id: string }[], work: (row: { id: string }) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < rows.length && !this.stopped; from += pageSize) {
      const outcomes = await Promise.allSettled(rows.slice(from, from + pageSize).map(work));
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        // If the database is away, the scan stops and is retried. A damaged row fails every time, so it is only reported.
        if (isAway(outcome.reason)) throw outcome.reason as Error;
        this.errors.report(outcome.reason);
      }
    }
    if (this.stopped) throw new ParleyError('unavailable');
  }

  /** True when something is due and did not fire. */
  private async fireDue(): Promise<boolean> {
    let stuck = false;
    let next: DuePlace | undefined;
    do {
      const now = this.options.clock.now();
      const due = await dueTimers(this.options.store, now, runningNow(now, this.shiftMs, this.haltedSince), next, pageSize);
      due.damaged.forEach((error) => this.errors.report(error));
      stuck ||= due.damaged.length > 0;
      for (const some of inSlices(due.rows)) {
        const outcomes = await Promise.allSettled(
          some.map(({ id }) => this.options.engine.submit({ type: 'timer.fire', by: platform, timerId: id })),
        );
        for (const outcome of outcomes) if (outcome.status === 'rejected') this.errors.report(outcome.reason);
        stuck ||= outcomes.some((outcome) => outcome.status === 'rejected' || outcome.value.remains);
      }
      ({ next } = due);
    } while (next && !this.stopped);
    return stuck;
  }

  private async housekeeping(): Promise<void> {
    const now = this.options.clock.now();
    // The clock jumped since it was looked at. The next look sees that, or, when the hub stops before it, the next start
    // does, by the time that is stored.
    if (Math.abs(this.gapAt(now, this.options.clock.mono())) > jumpMs) return;
    if (now - this.aliveAt >= aliveMs || now < this.aliveAt) {
      this.aliveAt = now;
      await this.options.engine.submit({ type: 'hub.alive', by: platform, at: now });
    }
    if (now - this.purgedAt < 3_600_000 && now >= this.purgedAt) return;
    let isUnfinished = false;
    try {
      isUnfinished = await this.purge.some(now);
    } finally {
      this.purgedAt = isUnfinished ? 0 : now;
    }
  }

  private async untilNext(): Promise<number> {
    const next = await nextTimers(this.options.store);
    const now = this.options.clock.now();
    const running = this.haltedSince === null ? (next.running ?? Infinity) + this.shiftMs : Infinity;
    const due = Math.min(next.wall ?? Infinity, running);
    return Math.max(1, due - now);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.running;
  }
}

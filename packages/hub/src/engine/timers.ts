// Wakes when a timer is due and asks the engine to fire it. The rows are the truth; this loop can die at any moment.
//
// Clocks: a date stays a date, whatever happened in between. A budget of running time must not be eaten by a laptop
// that slept or a hub that was down, so the gap is taken out of running time, and that is recorded as a fact.

import type { Clock } from '../clock.ts';
import type { Store } from '../store/port.ts';
import { operator } from './command.ts';
import { requestKeptMs } from './commands/system.ts';
import { runningNow } from './steps/timers.ts';
import type { Engine } from './group.ts';

const checkMs = 1000;
const jumpMs = 60_000;
const aliveMs = 15_000;
const page = 100;

export class Timers {
  private readonly store: Store;
  private readonly engine: Engine;
  private readonly clock: Clock;
  private readonly onError: (error: unknown) => void;
  private cancel: (() => void) | undefined;
  private shiftMs = 0;
  private lastWall = 0;
  private lastMono = 0;
  private aliveAt = 0;
  private purgedAt = 0;
  private readonly reported = new Set<string>();
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(options: { store: Store; engine: Engine; clock: Clock; onError: (error: unknown) => void }) {
    this.store = options.store;
    this.engine = options.engine;
    this.clock = options.clock;
    this.onError = options.onError;
  }

  /** Takes the time the hub was down out of running budgets, then begins. */
  async start(): Promise<void> {
    const settings = new Map(
      (await this.store.rows('settings', "where key in ('clock.shift', 'hub.alive')")).map((row) => [
        row.key,
        JSON.parse(row.value) as number,
      ]),
    );
    this.shiftMs = settings.get('clock.shift') ?? 0;
    const alive = settings.get('hub.alive');
    const down = alive === undefined ? 0 : this.clock.now() - alive;
    if (Math.abs(down) > jumpMs) await this.shift(down, 'downtime');
    this.lastWall = this.clock.now();
    this.lastMono = this.clock.mono();
    await this.tick();
  }

  private async shift(gapMs: number, why: 'jump' | 'downtime'): Promise<void> {
    this.shiftMs = (await this.engine.submit({ type: 'clock.jump', by: operator, gapMs, why })).shiftMs;
  }

  /** Called when a timer was set: it may be due before the next check. */
  wake(): void {
    if (this.stopped || this.running) return;
    this.cancel?.();
    this.running = this.tick().finally(() => (this.running = undefined));
  }

  /** One round; public so that a test can run it to the end under a simulated clock. */
  async tick(): Promise<void> {
    if (this.stopped) return;
    this.cancel?.();
    let wait = checkMs;
    try {
      await this.checkClocks();
      const allFired = await this.fireDue();
      await this.housekeeping();
      // What is due and did not fire would have us ask again at once, and again.
      if (allFired) wait = Math.min(checkMs, await this.untilNext());
    } catch (error) {
      this.onError(error);
    }
    if (!this.stopped) this.cancel = this.clock.after(wait, () => this.wake());
  }

  private async checkClocks(): Promise<void> {
    const wall = this.clock.now();
    const mono = this.clock.mono();
    const gap = Math.round(wall - this.lastWall - (mono - this.lastMono));
    this.lastWall = wall;
    this.lastMono = mono;
    if (Math.abs(gap) <= jumpMs) return;
    try {
      await this.shift(gap, 'jump');
    } catch (error) {
      // Not written down: the next look must see it again, or it would come out of running time after all.
      this.lastWall -= gap;
      throw error;
    }
  }

  private async fireDue(): Promise<boolean> {
    for (;;) {
      const now = this.clock.now();
      const { rows: due, damaged } = await this.store.intact(
        'timers',
        `where (clock = 'wall' and due_at <= ?) or (clock = 'running' and due_at <= ?) order by due_at, id limit ${page}`,
        [now, runningNow(now, this.shiftMs)],
      );
      // A damaged timer fires no more; it is said once, and holds up no other.
      for (const error of damaged) if (!this.reported.has(error.message)) this.onError(error);
      for (const { message } of damaged) this.reported.add(message);
      const outcomes = await Promise.all(due.map((timer) => this.engine.submit({ type: 'timer.fire', by: operator, timerId: timer.id })));
      if (due.length < page || !outcomes.some((outcome) => outcome.fired))
        return damaged.length === 0 && outcomes.every((outcome) => outcome.fired);
    }
  }

  private async housekeeping(): Promise<void> {
    const now = this.clock.now();
    if (now - this.aliveAt >= aliveMs || now < this.aliveAt) {
      this.aliveAt = now;
      await this.engine.submit({ type: 'hub.alive', by: operator });
    }
    if (now - this.purgedAt >= 3_600_000) {
      this.purgedAt = now;
      const old = await this.store.rows('requests', 'where at < ? order by at limit 500', [now - requestKeptMs]);
      if (old.length > 0) {
        await this.engine.submit({
          type: 'requests.purge',
          by: operator,
          requests: old.map((row) => ({ actorId: row.actor_id, key: row.key })),
        });
        if (old.length === 500) this.purgedAt = 0;
      }
    }
  }

  private async untilNext(): Promise<number> {
    const [next] = await this.store.all<{ wall: number | null; running: number | null }>(
      "select (select min(due_at) from timers where clock = 'wall') as wall, (select min(due_at) from timers where clock = 'running') as running",
    );
    const now = this.clock.now();
    const due = Math.min(next?.wall ?? Infinity, (next?.running ?? Infinity) + this.shiftMs);
    return Math.max(1, due - now);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.running;
  }
}

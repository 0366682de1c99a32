import type { Clock } from '@parley/hub';

/** Time that moves only when told to. `advance` runs what comes due, in order; `jump` moves the wall alone, as a suspended machine does. */
export class SimClock implements Clock {
  private wall: number;
  private monotonic = 0;
  private timers: { at: number; work: () => void; id: number }[] = [];
  private nextId = 1;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.wall = start;
  }

  now(): number {
    return this.wall;
  }

  mono(): number {
    return this.monotonic;
  }

  after(ms: number, work: () => void): () => void {
    const id = this.nextId++;
    this.timers.push({ at: this.monotonic + ms, work, id });
    return () => {
      this.timers = this.timers.filter((timer) => timer.id !== id);
    };
  }

  advance(ms: number): void {
    const end = this.monotonic + ms;
    for (;;) {
      const next = this.timers.filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at || a.id - b.id)[0];
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.step(next.at - this.monotonic);
      next.work();
    }
    this.step(end - this.monotonic);
  }

  /** The wall clock alone: a suspended machine, or someone who sets the clock. */
  jump(ms: number): void {
    this.wall += ms;
  }

  private step(ms: number): void {
    this.monotonic += ms;
    this.wall += ms;
  }
}

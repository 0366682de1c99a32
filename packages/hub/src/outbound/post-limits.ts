// How many POSTs are under way at once, to one agent and in all. The agent with the fewest comes next, so that agents whose
// endpoints are slow leave room to the others; of one agent the oldest.

/** Of one agent. */
export const atOnceEach = 16;
/** Of all together. */
export const atOnceInAll = 128;

export class Posts {
  private total = 0;
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Runs it when there is room. */
  async run<T>(agentId: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((go) => {
      this.waiting.set(agentId, [...(this.waiting.get(agentId) ?? []), go]);
      this.fill();
    });
    try {
      return await work();
    } finally {
      this.total--;
      this.count(agentId, -1);
      this.fill();
    }
  }

  private fill(): void {
    while (this.total < atOnceInAll) {
      const next = this.next();
      if (next === undefined) return;
      const queue = this.waiting.get(next)!;
      const go = queue.shift()!;
      if (queue.length === 0) this.waiting.delete(next);
      this.total++;
      this.count(next, 1);
      go();
    }
  }

  private next(): string | undefined {
    let fewest: { agentId: string; running: number } | undefined;
    for (const agentId of this.waiting.keys()) {
      const running = this.running.get(agentId) ?? 0;
      if (running < (fewest?.running ?? atOnceEach)) fewest = { agentId, running };
    }
    return fewest?.agentId;
  }

  private count(agentId: string, by: 1 | -1): void {
    const now = (this.running.get(agentId) ?? 0) + by;
    if (now === 0) this.running.delete(agentId);
    else this.running.set(agentId, now);
  }
}

// How much one member may have under way at once. The rate limits count requests; this bounds what their work can take
// from everybody else at any moment, whatever a request costs.

/** Requests of one member that are worked on at the same time; further ones wait their turn, in order. */
const maxUnderWay = 4;

interface Share {
  count: number;
  waiting: (() => void)[];
}

export class Shares {
  private readonly underWay = new Map<string, Share>();
  private readonly most: number;

  constructor(most = maxUnderWay) {
    this.most = most;
  }

  /** A promise only where this request has to wait for its turn. The returned function ends it, once. */
  enter(key: string): (() => void) | Promise<() => void> {
    let share = this.underWay.get(key);
    if (!share) this.underWay.set(key, (share = { count: 0, waiting: [] }));
    if (share.count < this.most) {
      share.count++;
      return this.leaving(key, share);
    }
    const { waiting } = share;
    const leave = this.leaving(key, share);
    return new Promise((resolve) => waiting.push(() => resolve(leave)));
  }

  private leaving(key: string, share: Share): () => void {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      // The place goes to the next in line.
      const next = share.waiting.shift();
      if (next) next();
      else if (--share.count === 0) this.underWay.delete(key);
    };
  }
}

/** Work that is done one piece at a time, for everybody, with the other requests between two pieces. */
export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return work();
    });
    this.last = mine.catch(() => {});
    return mine;
  }
}

// How much one member may have under way at once. The rate limits count requests; this bounds what their work can take
// from everybody else at any moment, whatever a request costs.

/** Requests of one member that are worked on at the same time; further ones wait their turn, in order. */
const maxUnderWay = 4;

export class Shares {
  private readonly underWay = new Map<string, { count: number; waiting: (() => void)[] }>();
  private readonly most: number;

  constructor(most = maxUnderWay) {
    this.most = most;
  }

  /** Resolves when it is this request's turn; the returned function ends it, once. */
  async enter(key: string): Promise<() => void> {
    const share = this.underWay.get(key) ?? { count: 0, waiting: [] };
    this.underWay.set(key, share);
    if (share.count < this.most) share.count++;
    else await new Promise<void>((resolve) => share.waiting.push(resolve));
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

/** Work that is done one piece at a time, whoever asks for it, with the other requests between two pieces. */
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

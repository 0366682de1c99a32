// How much one member, tool server or webhook may have under way at once. The rate limits count requests; this bounds what their work
// can take from everybody else at any moment, whatever a request costs.

/** Requests of one member in progress at once while others wait. Further requests wait their turn, in order. */
const ownPlaces = 4;
/**
 * As long as no more than these are in use, a member may have more than their own: commands that are under way together are
 * committed together, so that a bridge or an import is as fast alone as many members are. Their own places wait for nobody, as
 * the request that has a place may keep its body back.
 */
const sharedPlaces = 56;

interface Waiting {
  weight: number;
  go: () => void;
}

interface Share {
  used: number;
  waiting: Waiting[];
}

export class Shares {
  private readonly members = new Map<string, Share>();
  private readonly own: number;
  private readonly shared: number;
  private readonly most: number;
  private used = 0;

  /** Without `shared` nobody has more than their own places. `most`: so many are in use together, their own among them. */
  constructor({ own = ownPlaces, shared = 0, most = Infinity }: { own?: number; shared?: number; most?: number } = {}) {
    this.own = own;
    this.shared = shared;
    this.most = most;
  }

  static forAll(): Shares {
    return new Shares({ shared: sharedPlaces });
  }

  /**
   * A promise only where this request has to wait for its turn. The returned function ends it, once. A caller whose signal aborts
   * gives up its place in the line.
   */
  enter(key: string, weight = 1, signal?: AbortSignal): (() => void) | Promise<() => void> {
    signal?.throwIfAborted();
    let share = this.members.get(key);
    if (!share) this.members.set(key, (share = { used: 0, waiting: [] }));
    const leave = this.leaving(key, share, weight);
    if (share.waiting.length === 0 && this.hasRoom(share, weight)) {
      this.take(share, weight);
      return leave;
    }
    const { waiting } = share;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(request), 1);
        reject(signal!.reason as Error);
        this.passOn();
        this.forgetIdle(key, share);
      };
      const go = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve(leave);
      };
      const request = { weight, go };
      waiting.push(request);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Something of this key is under way or waits. */
  isBusy(key: string): boolean {
    return this.members.has(key);
  }

  async run<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const leave = await this.enter(key);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  private forgetIdle(key: string, { used, waiting }: Share): void {
    if (used === 0 && waiting.length === 0) this.members.delete(key);
  }

  private hasRoom({ used }: Share, weight: number): boolean {
    const isOwn = used === 0 || used + weight <= this.own;
    return (isOwn || this.used + weight <= this.shared) && this.used + weight <= this.most;
  }

  private take(share: Share, weight: number): void {
    share.used += weight;
    this.used += weight;
  }

  private leaving(key: string, share: Share, weight: number): () => void {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.take(share, -weight);
      this.passOn();
      this.forgetIdle(key, share);
    };
  }

  /** A freed place goes to whom the fewest are used by. */
  private passOn(): void {
    for (;;) {
      const ready = [...this.members.values()].filter((share) => share.waiting.length > 0 && this.hasRoom(share, share.waiting[0]!.weight));
      if (ready.length === 0) return;
      const least = ready.reduce((a, b) => (b.used < a.used ? b : a));
      const { weight, go } = least.waiting.shift()!;
      this.take(least, weight);
      go();
    }
  }
}

/** A request of many kilobytes is more work than a short one, whatever it asks for. Of a stream nobody knows the length. */
export function weightOf(headers: { 'content-length'?: string | undefined; 'transfer-encoding'?: string | undefined }): number {
  if (headers['transfer-encoding'] !== undefined) return heaviest;
  const kilobytes = Math.ceil(Number(headers['content-length'] ?? 0) / 1024);
  return Math.min(heaviest, Math.max(1, kilobytes));
}
const heaviest = 14;

// So many at once, and no more; the others wait their turn, as long as they like to.

export class ConcurrencyLimit {
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(places: number) {
    this.free = places;
  }

  /** Resolves with the function that gives the place back. A caller that stops waiting gives up its place in the line. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (): void => {
        const at = this.waiting.indexOf(resolve);
        if (at === -1) return;
        this.waiting.splice(at, 1);
        reject(signal.reason as Error);
      };
      this.waiting.push(resolve);
      signal.addEventListener('abort', leave, { once: true });
      await promise.finally(() => signal.removeEventListener('abort', leave));
    }
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    };
  }
}

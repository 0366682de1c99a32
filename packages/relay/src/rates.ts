// Token buckets: so much a minute for each key, a minute's worth at once.

export class Rates {
  private readonly perMinute: number;
  private readonly now: () => number;
  private buckets = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number, now: () => number) {
    this.perMinute = perMinute;
    this.now = now;
  }

  /** How many milliseconds the caller has to wait; 0: go on. */
  take(key: string): number {
    const now = this.now();
    const bucket = this.buckets.get(key) ?? { left: this.perMinute, at: now };
    bucket.left = Math.min(this.perMinute, bucket.left + (Math.max(0, now - bucket.at) / 60_000) * this.perMinute);
    bucket.at = now;
    if (this.buckets.size > 50_000) this.forgetFull();
    this.buckets.set(key, bucket);
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / this.perMinute) * 60_000);
    bucket.left -= 1;
    return 0;
  }

  /** A bucket that nobody used for a minute is full, as a new one is. */
  private forgetFull(): void {
    const since = this.now() - 60_000;
    this.buckets = new Map([...this.buckets].filter(([, { at }]) => at > since));
  }
}

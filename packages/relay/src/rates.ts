// Token buckets: so much a minute, or in another span, for each key, and all of it at once.

export class Rates {
  private readonly most: number;
  private readonly now: () => number;
  private readonly spanMs: number;
  private buckets = new Map<string, { left: number; at: number }>();

  constructor(most: number, now: () => number, spanMs = 60_000) {
    this.most = most;
    this.now = now;
    this.spanMs = spanMs;
  }

  /** How many milliseconds the caller has to wait; 0: go on. */
  take(key: string): number {
    const now = this.now();
    const bucket = this.buckets.get(key) ?? { left: this.most, at: now };
    bucket.left = Math.min(this.most, bucket.left + (Math.max(0, now - bucket.at) / this.spanMs) * this.most);
    bucket.at = now;
    if (this.buckets.size > 50_000) this.forgetFull();
    this.buckets.set(key, bucket);
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / this.most) * this.spanMs);
    bucket.left -= 1;
    return 0;
  }

  /** A bucket that nobody used for the whole span is full, as a new one is. */
  private forgetFull(): void {
    const since = this.now() - this.spanMs;
    this.buckets = new Map([...this.buckets].filter(([, { at }]) => at > since));
  }
}

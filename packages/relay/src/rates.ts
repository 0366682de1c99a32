// Token buckets: each limits how often one key, and all keys together, may act in a span of time.

const mostBuckets = 100_000;

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

  /** Milliseconds that the caller has to wait; 0 if it may act now. */
  take(key: string): number {
    const bucket = this.bucketOf(key);
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / this.most) * this.spanMs);
    bucket.left -= 1;
    return 0;
  }

  /** Counts what has come already, even beyond the limit. Returns the milliseconds until the bucket is no longer overdrawn. */
  charge(key: string, count: number): number {
    const bucket = this.bucketOf(key);
    bucket.left -= count;
    return Math.max(0, Math.ceil((-bucket.left / this.most) * this.spanMs));
  }

  private bucketOf(key: string): { left: number; at: number } {
    const now = this.now();
    const bucket = this.buckets.get(key) ?? this.newBucket(key, now);
    bucket.left = Math.min(this.most, bucket.left + (Math.max(0, now - bucket.at) / this.spanMs) * this.most);
    bucket.at = now;
    return bucket;
  }

  private newBucket(key: string, now: number): { left: number; at: number } {
    if (this.buckets.size >= mostBuckets) this.makeRoom();
    const bucket = { left: this.most, at: now };
    this.buckets.set(key, bucket);
    return bucket;
  }

  /** Drops buckets that were idle for a whole span: they are full, like new ones. If most are in use, the oldest go too. */
  private makeRoom(): void {
    const since = this.now() - this.spanMs;
    const used = [...this.buckets].filter(([, { at }]) => at > since);
    this.buckets = new Map(used.slice(-mostBuckets / 2));
  }
}

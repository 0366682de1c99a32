// Token buckets: so much a minute, or in another span, for each key, and all of it at once.

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

  /** How many milliseconds the caller has to wait; 0: go on. */
  take(key: string): number {
    const bucket = this.bucketOf(key);
    if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / this.most) * this.spanMs);
    bucket.left -= 1;
    return 0;
  }

  /** For what has come already: takes so many, also more than are left. How many milliseconds it takes to make up for them. */
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

  /** A bucket that nobody used for the whole span is full, as a new one is. Where most are in use, those made first go too. */
  private makeRoom(): void {
    const since = this.now() - this.spanMs;
    const used = [...this.buckets].filter(([, { at }]) => at > since);
    this.buckets = new Map(used.slice(-mostBuckets / 2));
  }
}

// Every number of a relay but the sizes of queues (queue-limits.ts) and of frames (protocol/src/relay/frames.ts). Settings override some of them (config.ts).

const day = 24 * 3_600_000;

/** A frame may wait this long, at its sender or here, and its id is remembered as long. */
export const frameRetentionMs = 32 * day;
/** Clocks may differ by so much. */
export const clockToleranceMs = day;
/** Older frames are refused, so that an id is forgotten only when no replay could use it. */
export const frameAgeMs = frameRetentionMs - clockToleranceMs;
export const invitationMs = 7 * day;
/** A ticket goes from the page to a terminal at once. */
export const ticketMs = 3_600_000;
export const heartbeatMs = 30_000;
export const reportsKeptMs = 30 * day;
/** So many different people have to report somebody before their frames go last. */
export const reportersThatCount = 3;

/** Unused one-time key packages of one address. */
export const mostPackages = 200;

/** Addresses that one address blocks. */
export const mostBlocks = 1000;

export interface RelayLimits {
  framesPerMinute: number;
  /** The id of each is remembered for a month: 20,000 a day are about 130 MB. */
  framesPerDay: number;
  lookupsPerMinute: number;
  /** Blocks, reports and directory entries of one address: each is a write with a sync of its own. */
  requestsPerMinute: number;
  connectionsPerMinute: number;
}

export const relayLimits: RelayLimits = {
  framesPerMinute: 1200,
  framesPerDay: 20_000,
  lookupsPerMinute: 30,
  requestsPerMinute: 60,
  connectionsPerMinute: 60,
};

export const federationLimits = {
  /** Of one other relay, all its users together. */
  framesPerMinute: 12_000,
  /** The ids of a month are about 1.3 GB. */
  framesPerDay: 200_000,
  lookupsPerMinute: 600,
  /** A packet waits so long for a relay that cannot be reached. */
  waitHours: 48,
  /** Of one other relay at once: it may have several processes. */
  lines: 8,
};

export const inDays = (ms: number): string => `${Math.floor(ms / day)} days`;

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

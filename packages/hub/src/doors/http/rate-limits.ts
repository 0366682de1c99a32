// Limits the requests of one member or one address. The counts are in memory, so a restart clears them.

import { ParleyError, addressKey } from '@parley/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface Limits {
  /** Per member and minute. */
  writesPerMinute: number;
  readsPerMinute: number;
  /** Per address and minute, for requests without a valid session or token. */
  strangersPerMinute: number;
}
export const defaultLimits: Limits = { writesPerMinute: 600, readsPerMinute: 3000, strangersPerMinute: 120 };

export class TooMany extends ParleyError {
  readonly retryAfterSeconds: number;
  constructor(msBeforeNext: number) {
    super('rate_limited');
    this.retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  }
}

export class RateLimits {
  private readonly limiters: Record<'read' | 'write' | 'upload' | 'stranger', RateLimiterMemory>;

  constructor({ writesPerMinute, readsPerMinute, strangersPerMinute }: Limits) {
    // A tenth of the minute's allowance every six seconds: bursts pass, floods do not.
    const limiter = (perMinute: number) =>
      // Each counts for itself, so that its keys need nothing before them.
      new RateLimiterMemory({ points: Math.max(1, Math.ceil(perMinute / 10)), duration: 6, keyPrefix: '' });
    this.limiters = {
      read: limiter(readsPerMinute),
      write: limiter(writesPerMinute),
      upload: limiter(Math.ceil(writesPerMinute / 10)),
      stranger: limiter(strangersPerMinute),
    };
  }

  member(memberId: string, what: 'read' | 'write' | 'upload'): Promise<void> {
    return take(this.limiters[what], memberId);
  }

  stranger(address: string): Promise<void> {
    return take(this.limiters.stranger, addressKey(address));
  }

  /** Whether the address may try again. A try counts only if it turns out to be a stranger's. */
  async mayKnock(address: string): Promise<void> {
    const before = await this.limiters.stranger.get(addressKey(address));
    if (before && before.remainingPoints <= 0) throw new TooMany(before.msBeforeNext);
  }
}

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (error instanceof RateLimiterRes) throw new TooMany(error.msBeforeNext);
    throw error;
  }
}

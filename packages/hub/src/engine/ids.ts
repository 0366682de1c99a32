import { type IdKind, newId, newMemberId, type RandomBytes } from '@parley/protocol';

/** Makes ids and secrets; the randomness is injected. */
export class Ids {
  private readonly random: RandomBytes;

  constructor(random: RandomBytes) {
    this.random = random;
  }

  at(now: number): { next: (kind: IdKind) => string; member: () => string } {
    return { next: (kind) => newId(kind, now, this.random), member: () => newMemberId(now, this.random) };
  }

  /** 256 bits: a secret that can only be had by being given it. */
  secret(prefix: string): string {
    return `${prefix}_${Buffer.from(this.random(32)).toString('base64url')}`;
  }

  epoch(): string {
    return Buffer.from(this.random(5)).toString('hex');
  }
}

import { type IdKind, newId, newMemberId, type RandomBytes } from '@parley/protocol';
import { hash } from 'node:crypto';

/** Makes ids and secrets; the randomness is injected. */
export class Ids {
  private readonly random: RandomBytes;
  private readonly forIds: RandomBytes;

  constructor(random: RandomBytes) {
    this.random = random;
    this.forIds = pooled(random);
  }

  at(now: number): { next: (kind: IdKind) => string; member: () => string } {
    return { next: (kind) => newId(kind, now, this.forIds), member: () => newMemberId(now, this.forIds) };
  }

  /** 256 bits: a secret that can only be had by being given it. */
  secret(prefix: string): string {
    return `${prefix}_${Buffer.from(this.random(32)).toString('base64url')}`;
  }

  epoch(): string {
    return Buffer.from(this.random(5)).toString('hex');
  }
}

/** Asking the system costs more than the rest of an id, so it is asked for many ids at once. Not for secrets: those are not kept waiting about. */
function pooled(random: RandomBytes): RandomBytes {
  let pool = new Uint8Array();
  let used = 0;
  return (length) => {
    if (used + length > pool.length) {
      pool = Uint8Array.from(random(4096));
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}

// Names for what may be longer than a key of a table can be.

export const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Itself, when it is short; no other has the same. */
export const shortKey = (text: string): string => (text.length <= 64 ? text : `sha256:${sha256(text)}`);

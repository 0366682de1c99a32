// The owner of a secret. Answers come from a cache that forgets as soon as the facts say so; the engine looks again inside
// the transaction, so a stale answer here lets nothing in.

import { hash } from 'node:crypto';
import type { Actor } from '@parley/core';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/port.ts';
import type { FactRow } from '../store/tables.ts';
import type { By } from './command.ts';

export interface Principal {
  by: By;
  actor: Actor;
  memberId: string;
  tokenId: string;
  expiresAt: number | null;
  /** The principal is a browser's session: its end moves while it is in use. */
  isSession: boolean;
}

export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

const maxCached = 10_000;

export class Auth {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly cache = new Map<string, Principal>();
  /** Raised by every forgetting, so that a look-up that began before it is not remembered after it. */
  private generation = 0;

  constructor(store: Store, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Looks only into the cache, so that nobody waits. */
  known(secret: string): Principal | undefined {
    return this.valid(this.cache.get(hashSecret(secret)));
  }

  async principal(secret: string): Promise<Principal | undefined> {
    const digest = hashSecret(secret);
    return this.valid(this.cache.get(digest) ?? (await this.find(digest)));
  }

  private valid(found: Principal | undefined): Principal | undefined {
    return found && (found.expiresAt === null || found.expiresAt > this.clock.now()) ? found : undefined;
  }

  private async find(hash: string): Promise<Principal | undefined> {
    const { generation } = this;
    const [token] = await this.store.rows('tokens', { hash });
    if (!token || token.revoked_at !== null) return undefined;
    const [member] = await this.store.rows('members', { id: token.member_id });
    if (!member || member.status !== 'active') return undefined;
    const principal: Principal = {
      by: { memberId: member.id, tokenId: token.id },
      actor: { type: 'member', id: member.id, kind: member.kind, role: member.role, active: true, tokenKind: token.kind },
      memberId: member.id,
      tokenId: token.id,
      expiresAt: token.expires_at,
      isSession: token.purpose === 'session',
    };
    if (generation === this.generation) {
      if (this.cache.size >= maxCached) this.cache.clear();
      this.cache.set(hash, principal);
    }
    return principal;
  }

  /** Called with this hub's own commits before they are answered, and by the tail with those of other hubs. */
  forget(facts: readonly Pick<FactRow, 'type' | 'subject_id'>[]): void {
    for (const fact of facts) {
      if (fact.type !== 'token.revoked' && fact.type !== 'session.renewed' && fact.type !== 'member.edited') continue;
      this.generation++;
      for (const [hash, principal] of this.cache) {
        if (principal.tokenId === fact.subject_id || principal.memberId === fact.subject_id) this.cache.delete(hash);
      }
    }
  }
}

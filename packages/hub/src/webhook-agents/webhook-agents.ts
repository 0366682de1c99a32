// Agents that get their events as signed POSTs to an address of theirs. One hub holds their lines, as it runs the built-in
// ones.

import type { SecretStore } from '../agents/secrets.ts';
import type { Clock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';
import { madeOf } from '../engine/steps/membership/agent-identities.ts';
import type { Tail } from '../engine/tail.ts';
import type { PlacedFact, Store } from '../store/port.ts';
import { toldTypes } from '../doors/agent-socket/events.ts';
import { WebhookDelivery, type Target } from './webhook-delivery.ts';
import { Shares } from '../concurrency-shares.ts';

export interface WebhookDoor {
  hub: { store: Store; engine: Engine; tail: Tail; clock: Clock };
  keys: SecretStore;
  /** Into the hub's own network as well. */
  allowPrivate: boolean;
  /** Room for POSTs, by agent. */
  posts: Shares;
  onError: (error: unknown) => void;
}

const leadRetryMs = 5000;
/** Agents whose endpoints are slow leave room to the others. */
export const postsAtOnceEach = 16;
const postsAtOnceInAll = 128;

export class WebhookAgents {
  private readonly door: WebhookDoor;
  private readonly lines = new Map<string, WebhookDelivery>();
  private readonly told = new Set(toldTypes);
  private checking: Promise<void> = Promise.resolve();
  private cancel: (() => void) | undefined;
  private stopped = false;

  constructor(door: Omit<WebhookDoor, 'posts'>) {
    this.door = {
      ...door,
      posts: new Shares({ own: postsAtOnceEach, most: postsAtOnceInAll }),
      onError: (error) => (this.stopped ? undefined : door.onError(error)),
    };
  }

  start(): void {
    this.door.hub.tail.listen((facts) => this.hear(facts));
    this.check(() => this.findAll());
  }

  private hear(facts: readonly PlacedFact[]): void {
    for (const fact of facts) {
      // For an agent without a delivery, only a new brain or its reactivation matters.
      const news = fact.type === 'identity.changed' || fact.type === 'member.edited';
      if (news || (fact.type === 'agent.changed' && this.lines.has(fact.subject_id!))) this.check(() => this.find(fact.subject_id!));
      if (this.told.has(fact.type)) this.lines.get(fact.member_id ?? '')?.hear(fact);
    }
  }

  /** Checks run one after the other, because two at once could open two deliveries. */
  private check(look: () => Promise<void>): void {
    this.checking = this.checking.then(() => (this.stopped ? undefined : look())).catch((error: unknown) => this.door.onError(error));
  }

  private async findAll(): Promise<void> {
    const { store, clock } = this.door.hub;
    if (!(await store.lead())) {
      this.cancel = clock.after(leadRetryMs, () => this.check(() => this.findAll()));
      return;
    }
    for (const { agent_id } of await store.rows('identities', {})) await this.find(agent_id);
  }

  private async find(agentId: string): Promise<void> {
    const { store } = this.door.hub;
    const line = this.lines.get(agentId);
    // Asked before the row is read: one that came up meanwhile is not written off by what the row was before.
    const wasUp = line?.isUp() ?? false;
    const target = await this.targetOf(agentId);
    if (!line && !target) return;
    const [agent] = await store.rows('agents', { member_id: agentId });
    const same = line && target && line.target.url === target.url && line.target.secret === target.secret;
    // Written off by a hub that has just started: it is asked again.
    if (same && !(wasUp && agent?.online === 0)) return;
    line?.close();
    this.lines.delete(agentId);
    if (target && (await store.lead())) this.lines.set(agentId, new WebhookDelivery(this.door, agentId, target));
  }

  private async targetOf(agentId: string): Promise<Target | undefined> {
    const { store } = this.door.hub;
    const [row] = await store.rows('identities', { agent_id: agentId });
    if (!row) return undefined;
    const { brain } = madeOf(row);
    const [member] = await store.rows('members', { id: agentId, status: 'active' });
    return member && brain.kind === 'remote' ? brain.webhook : undefined;
  }

  /** In words, while its endpoint takes nothing. */
  failureOf(agentId: string): string | undefined {
    return this.lines.get(agentId)?.failure;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.door.hub.tail.settled();
    await this.checking;
    for (const line of this.lines.values()) await line.settled();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    for (const line of this.lines.values()) line.close();
    await this.checking;
    for (const line of this.lines.values()) await line.settled();
  }
}

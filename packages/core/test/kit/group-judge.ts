// Watches a group from outside and knows the rules by itself: it shares no code with the machines that it judges.

import type { NegotiationEffect, NegotiationState } from '@parley/core/negotiation';
import { allowedSteps } from './negotiation-judge.ts';

export class GroupJudge {
  readonly problems: string[] = [];
  readonly visited = new Set<NegotiationState>();
  hasDecline = false;
  /** Whose person confirmed each hash. */
  private readonly confirmed = new Map<string, Set<string>>();
  /** Hashes that the coordinator announced as confirmed, with those it counted. */
  readonly announced = new Map<string, string[]>();
  private readonly ended = new Set<unknown>();
  /** Outcomes that reached each member, as `agent STATUS hash`. */
  private readonly outcomes = new Set<string>();
  private readonly states = new Map<string, NegotiationState>();

  private readonly coordinator: string;
  private readonly quorum: number;
  private readonly order: readonly string[];

  constructor(coordinator: string, quorum: number, order: readonly string[]) {
    this.coordinator = coordinator;
    this.quorum = quorum;
    this.order = order;
  }

  confirm(agent: string, hash: string): void {
    this.confirmed.set(hash, new Set([...(this.confirmed.get(hash) ?? []), agent]));
  }

  outcome(agent: string, status: string, hash: string | null): void {
    this.outcomes.add(`${agent} ${status.toUpperCase()} ${hash}`);
  }

  watch(agent: string, moves: readonly NegotiationState[], hash: string | undefined): void {
    for (const to of moves) {
      const from = this.states.get(agent) ?? 'INITIATED';
      if (!allowedSteps.has(`${from}>${to}`)) this.problems.push(`${agent} moved from ${from} to ${to}`);
      this.states.set(agent, to);
      this.visited.add(to);
      const needsOutcome = to === 'CONFIRMED' || to === 'EXPIRED';
      if (needsOutcome && agent !== this.coordinator && !this.outcomes.has(`${agent} ${to} ${hash}`))
        this.problems.push(`${agent} moved to ${to} by itself`);
    }
  }

  /** An effect of one participant. */
  judge(agent: string, effect: NegotiationEffect): void {
    if (effect.kind === 'ask_confirmation') this.judgeTurn(agent, effect.hash);
    if (effect.kind === 'run') this.judgeRun(agent, effect.hash);
    if (effect.kind !== 'send' || effect.type !== 'resolution_outcome') return;
    if (agent !== this.coordinator) this.problems.push(`${agent} sent an outcome`);
    this.ended.add(effect.content['proposal_hash']);
    if (effect.content['status'] === 'confirmed') this.judgeOutcome(effect.content);
  }

  private judgeTurn(agent: string, hash: string): void {
    // The line brought the proposal before the outcome that was sent ahead of it.
    if (this.ended.has(hash)) return;
    const place = this.order.indexOf(agent);
    const earlier = place < 0 ? (agent === this.coordinator ? [] : this.order) : this.order.slice(0, place);
    for (const one of earlier)
      if (!this.confirmed.get(hash)?.has(one)) this.problems.push(`${agent} was asked about ${hash} before ${one} confirmed`);
  }

  private judgeOutcome(content: Record<string, unknown>): void {
    const hash = String(content['proposal_hash']);
    const counted = (content['confirmations'] as { agent: string }[]).map(({ agent }) => agent).toSorted();
    const real = this.confirmed.get(hash) ?? new Set();
    if (counted.some((agent) => !real.has(agent))) this.problems.push(`${hash} counts a person who did not confirm`);
    if (counted.length < this.quorum || !counted.includes(this.coordinator)) this.problems.push(`${hash} has too few: ${counted.join()}`);
    const before = this.announced.get(hash);
    if (before && before.join() !== counted.join()) this.problems.push(`${hash} has two outcomes`);
    this.announced.set(hash, counted);
  }

  private judgeRun(agent: string, hash: string): void {
    if (!this.announced.get(hash)?.includes(agent)) this.problems.push(`${agent} executes ${hash} without being counted`);
    if (agent !== this.coordinator && !this.outcomes.has(`${agent} CONFIRMED ${hash}`))
      this.problems.push(`${agent} executes before the outcome`);
  }
}

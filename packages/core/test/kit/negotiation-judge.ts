// Watches two sides from outside and knows the rules by itself: it shares no code with the machine that it judges.

import type { NegotiationDecision, NegotiationInput, NegotiationRole, NegotiationState } from '@parley/core/negotiation';

/** A2C-28, as the rule lists it. */
export const allowedSteps = new Set(
  `INITIATED>NEGOTIATING INITIATED>PROPOSED INITIATED>STALLED INITIATED>DECLINED NEGOTIATING>NEGOTIATING NEGOTIATING>PROPOSED
  NEGOTIATING>STALLED NEGOTIATING>DECLINED PROPOSED>NEGOTIATING PROPOSED>CONFIRMED PROPOSED>EXPIRED PROPOSED>DECLINED
  STALLED>NEGOTIATING STALLED>DECLINED CONFIRMED>EXECUTING EXECUTING>COMPLETED EXECUTING>FAILED FAILED>ROLLBACK FAILED>NEGOTIATING
  ROLLBACK>NEGOTIATING`.split(/\s+/),
);

interface Watched {
  state: NegotiationState;
  /** Hashes that this side's person confirmed. */
  confirmed: Set<string>;
  /** Context packets since the last proposal or the person's word. */
  packets: number;
  /** Fields for which this side has the peer's answer or decline. */
  answered: Set<string>;
}

const contextTypes = new Set(['context', 'context_request', 'context_response', 'intent_update', 'thread_fork']);
const sides = ['initiator', 'responder'] as const;

export class NegotiationJudge {
  readonly problems: string[] = [];
  readonly watched = Object.fromEntries(
    sides.map((role): [string, Watched] => [role, { state: 'INITIATED', confirmed: new Set(), packets: 0, answered: new Set() }]),
  ) as Record<NegotiationRole, Watched>;
  /** Hashes that the coordinator announced as confirmed. */
  private readonly announced = new Set<string>();
  /** Outcomes that reached the responder. */
  private readonly outcomes = new Set<string>();
  hasDecline = false;
  readonly visited = new Set<NegotiationState>();
  readonly verdicts = new Set<string>();

  watch(role: NegotiationRole, input: NegotiationInput, { verdict, effects, moves }: NegotiationDecision): void {
    const side = this.watched[role];
    if (input.kind === 'packet' && input.packet.as === 'resolution_outcome') this.outcomes.add(input.packet.packet.status.toUpperCase());
    this.verdicts.add(verdict);
    const isAccepted = verdict === 'accepted';
    const by = input.kind === 'send' || input.kind === 'change_intent' ? input.by : 'agent';
    // A person who changes what it is about lets the agents go on.
    if (isAccepted && input.kind === 'change_intent' && by === 'person' && side.packets >= 16) side.packets = 0;
    if (isAccepted && input.kind === 'confirm') side.confirmed.add(input.hash);
    if (isAccepted && input.kind === 'decline') this.hasDecline = true;
    if (isAccepted && input.kind === 'continue') side.packets = 0;
    if (input.kind === 'packet' && isAccepted) this.hear(side, input.packet.packet);
    for (const to of moves) {
      if (!allowedSteps.has(`${side.state}>${to}`)) this.problems.push(`${role} moved from ${side.state} to ${to}`);
      side.state = to;
      this.visited.add(to);
      if (to === 'PROPOSED') side.packets = 0;
      if ((to === 'CONFIRMED' || to === 'EXPIRED') && role === 'responder' && !this.outcomes.has(to))
        this.problems.push(`the responder moved to ${to} by itself`);
    }
    for (const effect of effects) {
      if (effect.kind === 'send') this.judgeSending(role, effect.type, effect.content, by);
      if (effect.kind === 'run') this.judgeRun(role, effect.hash);
    }
  }

  private hear(side: Watched, packet: Record<string, unknown>): void {
    if (contextTypes.has(String(packet['type']))) side.packets += 1;
    const declined = (packet['context_unavailable'] ?? []) as { field: string }[];
    const given = [...Object.keys(packet['context'] ?? {}), ...Object.keys(packet['context_provided'] ?? {})];
    for (const field of [...given, ...declined.map(({ field }) => field)]) side.answered.add(field);
  }

  private judgeSending(role: NegotiationRole, type: string, content: Record<string, unknown>, by: 'agent' | 'person'): void {
    const side = this.watched[role];
    if (contextTypes.has(type)) {
      if (by === 'agent' && side.packets >= 16) this.problems.push(`${role} sent packet ${side.packets + 1} without a proposal`);
      side.packets += 1;
    }
    const needs = (content['needs'] ?? []) as { field: string }[];
    if (needs.length > 5) this.problems.push(`${role} asked ${needs.length} fields at once`);
    for (const { field } of needs) if (side.answered.has(field)) this.problems.push(`${role} asked again for ${field}`);
    if (type !== 'resolution_outcome') return;
    if (role !== 'initiator') this.problems.push('the responder sent an outcome');
    const hash = String(content['proposal_hash']);
    if (content['status'] !== 'confirmed') return;
    for (const one of sides) if (!this.watched[one].confirmed.has(hash)) this.problems.push(`${hash} was confirmed without the ${one}`);
    this.announced.add(hash);
  }

  private judgeRun(role: NegotiationRole, hash: string): void {
    if (!this.announced.has(hash)) this.problems.push(`${role} executes ${hash} without an outcome`);
    if (role === 'responder' && !['CONFIRMED', 'EXECUTING'].includes(this.watched[role].state))
      this.problems.push(`the responder executes in ${this.watched[role].state}`);
  }
}

// Two sides of a negotiation whose packets are real ones: written and read as on the line.

import { createHash } from 'node:crypto';
import { confirmationToSign, readPacket, type TypedPacket, writePacket } from '@parley/protocol/relay';
import {
  decide,
  type Negotiation,
  type NegotiationDecision,
  type NegotiationEffect,
  type NegotiationInput,
  type NegotiationRole,
  type NegotiationState,
  type NegotiationOpening,
  openNegotiation,
} from '@parley/core/negotiation';
import { keyOf, signAs, signaturesOf } from './signatures.ts';

export const hour = 3_600_000;
export const addresses = { initiator: 'agent:ann@relay.example', responder: 'agent:bob@relay.example' };
const threadId = 'thr_dinner';
const participants = [...Object.values(addresses), 'agent:cem@relay.example'].map((agent) => ({ agent, key: keyOf(agent) }));
export const otherRole = (role: NegotiationRole): NegotiationRole => (role === 'initiator' ? 'responder' : 'initiator');

/** Any injective function serves as the hash; spec/vectors/packets.json fixes the real one. */
export const blake2b256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

export const dinner = {
  proposal: { summary: 'Dinner at Dopo, Friday 19:00' },
  confirmation_timeout: 'PT24H',
  actions_on_confirm: [
    { action: 'book_table', reversible: true },
    { action: 'add_calendar_event', scope: 'own' as const, reversible: true },
  ],
};

export interface SentPacket {
  to: NegotiationRole;
  text: string;
}

export class Negotiators {
  now = 1_800_000_000_000;
  readonly sides: Record<NegotiationRole, Negotiation>;
  /** Packets on their way, oldest first. */
  line: SentPacket[] = [];
  private count = 0;

  /** `isGroup`: the line is one of a group of three. */
  readonly isGroup: boolean;

  constructor(isGroup = false) {
    this.isGroup = isGroup;
    const group: NegotiationOpening['group'] = isGroup ? { participants } : undefined;
    const sideOf = (role: NegotiationRole): Negotiation =>
      openNegotiation({ threadId, own: addresses[role], peer: addresses[otherRole(role)], role, group }, this.now);
    this.sides = { initiator: sideOf('initiator'), responder: sideOf('responder') };
  }

  decide(role: NegotiationRole, input: NegotiationInput): NegotiationDecision {
    // A stored negotiation is JSON.
    const stored = JSON.parse(JSON.stringify(this.sides[role])) as Negotiation;
    const decision = decide(stored, input, { now: this.now, blake2b256, signatures: signaturesOf(addresses[role]) });
    this.sides[role] = decision.negotiation;
    for (const effect of decision.effects)
      if (effect.kind === 'send') this.line.push({ to: otherRole(role), text: this.write(role, effect.type, effect.content) });
    return decision;
  }

  /** The text of a packet from this side; throws for one that the receiver would drop. */
  write(from: NegotiationRole, type: string, content: Record<string, unknown>): string {
    const head = {
      protocol: 'a2acp/0.2',
      packet_id: `pkt_${String((this.count += 1)).padStart(8, '0')}`,
      thread_id: threadId,
      from: addresses[from],
      to: addresses[otherRole(from)],
      timestamp: new Date(this.now).toISOString(),
      sequence: { epoch: 1, number: this.count },
    };
    const written = writePacket({ ...head, type, ...content });
    if (!written.ok) throw new Error(`${type}: ${written.field} ${written.problem}`);
    return written.text;
  }

  receive(role: NegotiationRole, text: string): NegotiationDecision {
    const read = readPacket(text);
    if (!read.ok) throw new Error(`${read.field} ${read.problem}`);
    const packet = { as: read.as, packet: read.packet } as TypedPacket;
    return this.decide(role, { kind: 'packet', packet });
  }

  /** A packet that the other side's machine did not write. */
  forge(to: NegotiationRole, type: string, content: Record<string, unknown>): NegotiationDecision {
    return this.receive(to, this.write(otherRole(to), type, content));
  }

  deliverAll(): void {
    for (let next = this.line.shift(); next; next = this.line.shift()) this.receive(next.to, next.text);
  }

  /** The proposal of this side, and a group's to both of its members. */
  propose(role: NegotiationRole): NegotiationDecision {
    const terms = { confirmers: participants.map(({ agent }) => agent), quorum: 2, order: [] };
    const { numbers, proposal } = this.sides[role];
    const of = { terms, number: numbers.own + 1, after: proposal?.hash ?? null };
    return this.decide(role, { kind: 'propose', content: dinner, ...(this.isGroup ? { of } : {}) });
  }

  /** The person of this side, or the group that has a quorum. */
  confirm(role: NegotiationRole, hash = this.hash): NegotiationDecision {
    const bytes = (agent: string): Uint8Array => confirmationToSign({ thread_id: threadId, proposal_hash: hash, agent });
    const agents = Object.values(addresses);
    const counted = agents.map((agent) => ({ agent, packet_id: null, signature: signAs(agent, bytes(agent)) }));
    return this.decide(role, { kind: 'confirm', hash, ...(this.isGroup && role === 'initiator' ? { counted } : {}) });
  }

  get hash(): string {
    return this.sides.initiator.proposal!.hash;
  }

  get states(): NegotiationState[] {
    return [this.sides.initiator.state, this.sides.responder.state];
  }
}

const say = (summary: string): NegotiationInput => ({ kind: 'send', type: 'context', content: { context: { summary } }, by: 'agent' });

type Reached = Exclude<NegotiationState, 'FAILED'>;
/** From which state each is reached, and how. A failed negotiation moves on at once. */
const ways: Record<Reached, { from: Reached | null; go: (both: Negotiators) => void }> = {
  INITIATED: { from: null, go: (both) => both.decide('initiator', say('dinner?')) },
  NEGOTIATING: { from: 'INITIATED', go: (both) => both.decide('responder', say('gladly')) },
  PROPOSED: { from: 'NEGOTIATING', go: (both) => both.propose('initiator') },
  STALLED: {
    from: 'NEGOTIATING',
    go: (both) => {
      both.now += 48 * hour;
      for (const role of ['initiator', 'responder'] as const) both.decide(role, { kind: 'tick' });
    },
  },
  CONFIRMED: {
    from: 'PROPOSED',
    go: (both) => {
      for (const role of ['initiator', 'responder'] as const) if (!both.isGroup || role === 'responder') both.confirm(role);
      both.deliverAll();
      if (both.isGroup) both.confirm('initiator');
    },
  },
  EXECUTING: {
    from: 'CONFIRMED',
    go: (both) => {
      both.decide('initiator', { kind: 'begin', hash: both.hash });
      both.decide('initiator', { kind: 'done', hash: both.hash, scope: 'shared' });
    },
  },
  ROLLBACK: {
    from: 'EXECUTING',
    go: (both) => both.decide('initiator', { kind: 'failed', hash: both.hash, scope: 'own', constraint: 'No calendar', completed: 1 }),
  },
  COMPLETED: {
    from: 'EXECUTING',
    go: (both) => {
      for (const role of ['initiator', 'responder'] as const) both.decide(role, { kind: 'done', hash: both.hash, scope: 'own' });
    },
  },
  DECLINED: { from: 'PROPOSED', go: (both) => both.decide('initiator', { kind: 'decline' }) },
  EXPIRED: {
    from: 'PROPOSED',
    go: (both) => {
      both.now += 24 * hour;
      both.decide('initiator', { kind: both.isGroup ? 'expire' : 'tick' });
    },
  },
};

/** Two sides that are both in this state. */
export function negotiatorsIn(state: NegotiationState, isGroup = false): Negotiators {
  if (state === 'FAILED') {
    const both = negotiatorsIn('EXECUTING', isGroup);
    for (const side of Object.values(both.sides)) side.state = state;
    return both;
  }
  const { from, go } = ways[state];
  const both = from === null ? new Negotiators(isGroup) : negotiatorsIn(from, isGroup);
  go(both);
  both.deliverAll();
  return both;
}

type Effect<K extends NegotiationEffect['kind']> = Extract<NegotiationEffect, { kind: K }>;
/** Effects of one kind. */
export const only = <K extends NegotiationEffect['kind']>({ effects }: NegotiationDecision, kind: K): Effect<K>[] =>
  effects.filter((effect): effect is Effect<K> => effect.kind === kind);
export const notices = (decision: NegotiationDecision): string[] => only(decision, 'notify').map(({ notice }) => notice);

export const confirmBoth = (both: Negotiators): void => {
  both.decide('responder', { kind: 'confirm', hash: both.hash });
  both.deliverAll();
  both.decide('initiator', { kind: 'confirm', hash: both.hash });
};

/** A request for fields that would help. */
export const ask = (...fields: string[]) =>
  ({
    kind: 'send',
    type: 'context_request',
    content: { needs: fields.map((field) => ({ field, priority: 'helpful' })) },
    by: 'agent',
  }) as const satisfies NegotiationInput;

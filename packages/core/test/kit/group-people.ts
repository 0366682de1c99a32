// A coordinator and its members, whose packets are real ones: written and read as on the line.

import { readPacket, type TypedPacket, writePacket } from '@parley/protocol/relay';
import {
  decideGroup,
  type NegotiationGroup,
  type GroupDecision,
  type GroupInput,
  type GroupLines,
  type GroupOpening,
  openGroup,
} from '@parley/core/group';
import {
  compareOutcome,
  decide,
  type DecisionTools,
  type Negotiation,
  type NegotiationDecision,
  type NegotiationInput,
  openNegotiation,
  type OutcomeComparison,
} from '@parley/core/negotiation';
import { blake2b256, dinner } from './negotiators.ts';
import { keyOf, signaturesOf } from './signatures.ts';

export const threadId = 'thr_gamenight';
export const ann = 'agent:ann@relay.example';
export const [bob, cem, dan] = ['bob', 'cem', 'dan'].map((name) => `agent:${name}@relay.example`) as [string, string, string];

export interface GroupPacket {
  from: string;
  to: string;
  text: string;
}

const store = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export class GroupPeople {
  now = 1_800_000_000_000;
  group: NegotiationGroup;
  lines: GroupLines;
  readonly members: Record<string, Negotiation>;
  /** Packets on their way, oldest first. */
  line: GroupPacket[] = [];
  private count = 0;

  constructor(agents: readonly string[], options: Pick<GroupOpening, 'quorum' | 'order' | 'patienceMs'> = {}) {
    const participants = [ann, ...agents].map((agent) => ({ agent, key: keyOf(agent) }));
    ({ group: this.group, lines: this.lines } = openGroup({ threadId, own: ann, participants, ...options }, this.now));
    const member = (own: string): [string, Negotiation] => [
      own,
      openNegotiation({ threadId, own, peer: ann, role: 'responder' }, this.now),
    ];
    this.members = Object.fromEntries(agents.map(member));
  }

  /** Members know each other, unless a test says otherwise. */
  areAcquainted = true;

  private tools = (agent: string): DecisionTools => ({
    now: this.now,
    blake2b256,
    signatures: signaturesOf(agent, () => this.areAcquainted),
  });

  coordinate(input: GroupInput): GroupDecision {
    const decision = decideGroup(store(this.group), store(this.lines), input, this.tools(ann));
    Object.assign(this, { group: decision.group, lines: decision.lines });
    for (const { peer, effect } of decision.effects)
      if (peer !== null && effect.kind === 'send') this.send(ann, peer, effect.type, effect.content);
    return decision;
  }

  /** What another member got. */
  compare(agent: string, from: string, hash: string, confirmations: object[]): OutcomeComparison {
    const { text } = this.send(from, agent, 'resolution_outcome', { status: 'confirmed', proposal_hash: hash, confirmations });
    const read = readPacket(text);
    if (!read.ok || read.as !== 'resolution_outcome') throw new Error('no outcome');
    const decision = compareOutcome(store(this.members[agent]!), read.packet, this.tools(agent));
    this.members[agent] = decision.negotiation;
    return decision;
  }

  member(agent: string, input: NegotiationInput): NegotiationDecision {
    const decision = decide(store(this.members[agent]!), input, this.tools(agent));
    this.members[agent] = decision.negotiation;
    for (const effect of decision.effects) if (effect.kind === 'send') this.send(agent, ann, effect.type, effect.content);
    return decision;
  }

  send(from: string, to: string, type: string, content: Record<string, unknown>): GroupPacket {
    const head = {
      protocol: 'a2acp/0.2',
      packet_id: `pkt_${String((this.count += 1)).padStart(8, '0')}`,
      thread_id: threadId,
      from,
      to,
      timestamp: new Date(this.now).toISOString(),
      sequence: { epoch: 1, number: this.count },
    };
    const written = writePacket({ ...head, type, ...content });
    if (!written.ok) throw new Error(`${type}: ${written.field} ${written.problem}`);
    const packet = { from, to, text: written.text };
    this.line.push(packet);
    return packet;
  }

  receive({ from, to, text }: GroupPacket): NegotiationDecision | GroupDecision {
    const read = readPacket(text);
    if (!read.ok) throw new Error(`${read.field} ${read.problem}`);
    const input = { kind: 'packet', packet: { as: read.as, packet: read.packet } as TypedPacket } as const;
    return to === ann ? this.coordinate({ kind: 'line', peer: from, input }) : this.member(to, input);
  }

  deliverAll(to?: string): void {
    for (;;) {
      const next = this.line.find((one) => to === undefined || one.to === to);
      if (!next) return;
      this.line = this.line.filter((one) => one !== next);
      this.receive(next);
    }
  }

  get hash(): string {
    return this.group.proposal!.hash;
  }

  /** The coordinator's first, then the members'. */
  get states(): string[] {
    return [this.group.state, ...Object.values(this.members).map(({ state }) => state)];
  }

  /** Everybody is asked about the first proposal. */
  static proposed(agents: readonly string[], options: Pick<GroupOpening, 'quorum' | 'order'> = {}): GroupPeople {
    const people = new GroupPeople(agents, options);
    for (const peer of agents)
      people.coordinate({
        kind: 'line',
        peer,
        input: { kind: 'send', type: 'context', content: { context: { event: 'games' } }, by: 'agent' },
      });
    people.deliverAll();
    people.coordinate({ kind: 'propose', content: dinner });
    people.deliverAll();
    return people;
  }

  /** The executor of the coordinator, then those of the members that have something to run. */
  execute(): void {
    const { hash } = this;
    this.coordinate({ kind: 'begin', hash });
    this.coordinate({ kind: 'done', hash, scope: 'shared' });
    this.deliverAll();
    this.coordinate({ kind: 'done', hash, scope: 'own' });
    for (const [agent, { execution }] of Object.entries(this.members))
      if (execution?.own === 'running') this.member(agent, { kind: 'done', hash, scope: 'own' });
    this.deliverAll();
  }
}

/** One after the other, and everybody hears of each. */
export const confirmAll = (people: GroupPeople, ...agents: string[]): void => {
  for (const agent of agents) {
    if (agent === ann) people.coordinate({ kind: 'confirm', hash: people.hash });
    else people.member(agent, { kind: 'confirm', hash: people.hash });
    people.deliverAll();
  }
};

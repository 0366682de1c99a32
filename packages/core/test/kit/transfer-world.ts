// Peers that hand the coordinator's role to each other over lines that delay, duplicate and reorder. Each side stores what it decided and
// what it sends in one step, or is killed before it and does the step again.

import { type Packet, readPacket, type TypedPacket, writePacket } from '@parley/protocol/relay';
import {
  answerOffer,
  decideGroup,
  followTransfer,
  isCoordinatorAgain,
  type GroupInput,
  type GroupLines,
  isProvenOpening,
  type NegotiationGroup,
  offerTransfer,
  openGroup,
  takeAnswer,
  takeOver,
} from '@parley/core/group';
import {
  decide,
  type DecisionTools,
  type Negotiation,
  type NegotiationEffect,
  type NegotiationInput,
  openNegotiation,
} from '@parley/core/negotiation';
import { ann, type GroupPacket, threadId } from './group-people.ts';
import { blake2b256 } from './negotiators.ts';
import { keyOf, signaturesOf } from './signatures.ts';

export type Side = { own: string; group: NegotiationGroup; lines: GroupLines } | { own: string; line: Negotiation };
interface Sent {
  to: string;
  type: string;
  content: Record<string, unknown>;
}
type Step = { side: Side; sends: Sent[]; effects: NegotiationEffect[] };

const store = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export class TransferWorld {
  now = 1_800_000_000_000;
  readonly sides: Record<string, Side> = {};
  line: GroupPacket[] = [];
  readonly refused: string[] = [];
  transfers = 0;
  private count = 0;
  /** True: the side is killed before it stores the step. */
  isKilled: () => boolean = () => false;
  onEffect: (agent: string, effect: NegotiationEffect) => void = () => {};
  isReachable: (own: string, agent: string) => boolean = () => true;

  constructor(agents: readonly string[], options: { quorum?: number; order?: string[] } = {}) {
    const participants = [ann, ...agents].map((agent) => ({ agent, key: keyOf(agent) }));
    this.sides[ann] = { own: ann, ...openGroup({ threadId, own: ann, participants, ...options }, this.now) };
    for (const own of agents) this.sides[own] = { own, line: openNegotiation({ threadId, own, peer: ann, role: 'responder' }, this.now) };
  }

  tools = (agent: string): DecisionTools => ({ now: this.now, blake2b256, signatures: signaturesOf(agent) });

  get coordinators(): string[] {
    return Object.values(this.sides).flatMap((side) => ('group' in side ? [side.own] : []));
  }

  stateOf(agent: string): string {
    const side = this.sides[agent]!;
    return 'group' in side ? side.group.state : side.line.state;
  }

  hashOf(agent: string): string | undefined {
    const side = this.sides[agent]!;
    return ('group' in side ? side.group : side.line).proposal?.hash;
  }

  private keep(agent: string, step: Step | undefined): boolean {
    if (!step) return true;
    if (this.isKilled()) return false;
    this.sides[agent] = store(step.side);
    for (const { to, type, content } of step.sends) this.send(agent, to, type, content);
    for (const effect of step.effects) this.onEffect(agent, effect);
    return true;
  }

  private send(from: string, to: string, type: string, content: Record<string, unknown>): void {
    this.count += 1;
    const head = { protocol: 'a2acp/0.2', packet_id: `pkt_${String(this.count).padStart(8, '0')}`, thread_id: threadId, from, to };
    const at = { timestamp: new Date(this.now).toISOString(), sequence: { epoch: 1, number: this.count } };
    const written = writePacket({ ...head, ...at, type, ...content });
    if (!written.ok) throw new Error(`${type}: ${written.field} ${written.problem}`);
    this.line.push({ from, to, text: written.text });
  }

  private coordinated(side: Extract<Side, { group: unknown }>, input: GroupInput): Step {
    const { group, lines, effects } = decideGroup(side.group, side.lines, input, this.tools(side.own));
    const sends = effects.flatMap(({ peer, effect }) =>
      peer !== null && effect.kind === 'send' ? [{ to: peer, type: effect.type, content: effect.content }] : [],
    );
    return { side: { own: side.own, group, lines }, sends, effects: effects.map(({ effect }) => effect) };
  }

  private membered(own: string, line: Negotiation, input: NegotiationInput): Step {
    const { negotiation, effects } = decide(line, input, this.tools(own));
    const sends = effects.flatMap((effect) =>
      effect.kind === 'send' ? [{ to: line.peer, type: effect.type, content: effect.content }] : [],
    );
    return { side: { own, line: negotiation }, sends, effects };
  }

  /** The person or the agent of one side does something. */
  act(agent: string, input: GroupInput | NegotiationInput): void {
    const side = store(this.sides[agent]!);
    this.keep(
      agent,
      'group' in side ? this.coordinated(side, input as GroupInput) : this.membered(agent, side.line, input as NegotiationInput),
    );
  }

  offer(agent: string, to: string): string {
    const side = store(this.sides[agent]!);
    if (!('group' in side)) return 'not_for_this_role';
    const offered = offerTransfer(side.group, side.lines, { to, reason: 'Knows everybody' }, this.tools(agent));
    if (offered.verdict !== 'accepted') return offered.verdict;
    this.keep(agent, {
      side: { ...side, group: offered.group },
      sends: [{ to, type: 'coordinator_transfer', content: offered.content }],
      effects: [],
    });
    return 'accepted';
  }

  /** False: killed before it was stored, so the relay brings it again. */
  receive({ from, to, text }: GroupPacket): boolean {
    const read = readPacket(text);
    if (!read.ok) throw new Error(`${read.field} ${read.problem}`);
    const typed = { as: read.as, packet: read.packet } as TypedPacket;
    return this.keep(to, this.taken(store(this.sides[to]!), from, typed));
  }

  private taken(side: Side, from: string, typed: TypedPacket): Step | undefined {
    const { own } = side;
    const input = { kind: 'packet', packet: typed } as const;
    if ('group' in side) {
      if (typed.as === 'coordinator_transfer') return this.answered(side, typed.packet);
      if (Object.hasOwn(side.lines, from)) return this.coordinated(side, { kind: 'line', peer: from, input });
      return undefined;
    }
    if (from !== side.line.peer) return this.followed(side, typed);
    if (typed.as !== 'coordinator_transfer')
      return isCoordinatorAgain(side.line, typed.packet) ? this.followed(side, typed) : this.membered(own, side.line, input);
    return typed.packet.status === 'granted' ? this.granted(side.line, typed.packet) : this.offered(side.line, typed.packet);
  }

  private answered(side: Extract<Side, { group: unknown }>, packet: Parameters<typeof takeAnswer>[2]): Step | undefined {
    const answer = takeAnswer(side.group, side.lines, packet, this.tools(side.own));
    if (answer.verdict !== 'accepted') return void this.refused.push(answer.verdict);
    if (answer.line === null) return { side: { ...side, group: answer.group }, sends: [], effects: [] };
    const sends = [{ to: packet.from, type: 'coordinator_transfer', content: answer.content }];
    return { side: { own: side.own, line: answer.line }, sends, effects: [] };
  }

  private offered(line: Negotiation, packet: Parameters<typeof answerOffer>[1]): Step | undefined {
    const answer = answerOffer(line, packet, ({ agent }) => this.isReachable(line.own, agent), this.tools(line.own));
    if (answer.verdict !== 'accepted') return void this.refused.push(answer.verdict);
    return {
      side: { own: line.own, line },
      sends: [{ to: packet.from, type: 'coordinator_transfer', content: answer.content }],
      effects: [],
    };
  }

  private granted(line: Negotiation, packet: Parameters<typeof takeOver>[1]): Step | undefined {
    const taken = takeOver(line, packet, this.tools(line.own));
    if (taken.verdict !== 'accepted') return void this.refused.push(taken.verdict);
    this.transfers += 1;
    const side = { own: line.own, group: taken.group, lines: taken.lines };
    return taken.isClosing ? this.coordinated(side, { kind: 'decline' }) : { side, sends: [], effects: [] };
  }

  private followed({ own, line }: Extract<Side, { line: unknown }>, typed: TypedPacket): Step | undefined {
    const input = { kind: 'packet', packet: typed } as const;
    const packet: Packet = typed.packet;
    if (!line.group) {
      // A member that has heard of nobody yet.
      if (!isProvenOpening(packet, this.tools(own))) return void this.refused.push('false_transfer');
      if (!packet.aggregated_context?.participants) return undefined;
      return this.membered(own, openNegotiation({ threadId, own, peer: packet.from, role: 'responder' }, this.now), input);
    }
    const follow = followTransfer(line, packet, this.tools(own));
    if (follow.verdict !== 'accepted') return void this.refused.push(follow.verdict);
    const read = this.membered(own, follow.line, input);
    if (!follow.isClosing || !('line' in read.side)) return read;
    const declined = this.membered(own, read.side.line, { kind: 'decline' });
    return { ...declined, sends: [...read.sends, ...declined.sends], effects: [...read.effects, ...declined.effects] };
  }
}

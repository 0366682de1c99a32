// Groups over lines that delay, duplicate and reorder, with people and executors that act at random. Every decision goes through JSON, as
// a peer that is killed after any step and starts again would read it.

import { readPacket } from '@parley/protocol/relay';
import { describe, expect, it } from 'vitest';
import { GroupJudge } from '../../test/kit/group-judge.ts';
import { ann, bob, cem, dan, type GroupPacket, GroupPeople } from '../../test/kit/group-people.ts';
import { dinner, hour } from '../../test/kit/negotiators.ts';
import { randomFrom } from '../../test/kit/random.ts';
import { nextTick } from '../negotiation/clock.ts';
import type { NegotiationDecision } from '../negotiation/decide.ts';
import type { NegotiationEffect, NegotiationInput } from '../negotiation/inputs.ts';
import type { NegotiationState } from '../negotiation/states.ts';
import type { GroupDecision, GroupInput } from './decide-group.ts';
import { nextGroupTick } from './group.ts';

const seed = Number(process.env['PARLEY_SEED'] ?? 7);
/** A run takes about 10 ms. */
const runs = 150;

type Job = { kind: 'run'; hash: string; scope: 'shared' | 'own'; actions: number[] } | { kind: 'undo'; hash: string };

class World extends GroupPeople {
  readonly judge: GroupJudge;
  private readonly jobs: Record<string, Job[]> = {};
  /** How often each action of each proposal has happened, less how often it was undone. */
  readonly net: Record<string, number> = {};
  private readonly hashes: string[] = [];

  private readonly random: () => number;

  constructor(random: () => number) {
    const agents = random() < 0.5 ? [bob, cem] : [bob, cem, dan];
    const quorum = random() < 0.6 ? 2 + Math.floor(random() * agents.length) : agents.length + 1;
    const order = random() < 0.3 ? [agents[1]!, ...(random() < 0.5 ? [ann] : []), agents[0]!] : [];
    super(agents, { quorum, order });
    this.random = random;
    this.judge = new GroupJudge(ann, quorum, order);
  }

  private below = (most: number): number => Math.floor(this.random() * most);
  private pick = <T>(items: readonly T[]): T => items[this.below(items.length)]!;

  override coordinate(input: GroupInput): GroupDecision {
    if (input.kind === 'confirm' && this.group.proposal?.hash === input.hash && this.group.state === 'PROPOSED') {
      if (this.group.proposal.isOwnAsked) this.judge.confirm(ann, input.hash);
    }
    const decision = super.coordinate(input);
    if (decision.verdict === 'accepted' && input.kind === 'decline') this.judge.hasDecline = true;
    this.judge.watch(ann, decision.moves, decision.group.proposal?.hash);
    for (const { effect } of decision.effects) this.note(ann, effect);
    return decision;
  }

  override member(agent: string, input: NegotiationInput): NegotiationDecision {
    const decision = super.member(agent, input);
    if (decision.verdict === 'accepted' && input.kind === 'confirm') this.judge.confirm(agent, input.hash);
    if (decision.verdict === 'accepted' && input.kind === 'decline') this.judge.hasDecline = true;
    this.judge.watch(agent, decision.moves, decision.negotiation.proposal?.hash);
    const withdrawn = decision.effects.flatMap((effect) => (effect.kind === 'withdraw_confirmation' ? [effect.hash] : []));
    for (const effect of decision.effects)
      if (effect.kind !== 'ask_confirmation' || !withdrawn.includes(effect.hash)) this.note(agent, effect);
    return decision;
  }

  private note(agent: string, effect: NegotiationEffect): void {
    this.judge.judge(agent, effect);
    if (effect.kind === 'run' || effect.kind === 'undo') (this.jobs[agent] ??= []).push(effect);
    if (effect.kind === 'ask_confirmation') this.hashes.push(effect.hash);
  }

  override receive(packet: GroupPacket): NegotiationDecision | GroupDecision {
    const read = readPacket(packet.text);
    if (read.ok && read.as === 'resolution_outcome') this.judge.outcome(packet.to, read.packet.status, read.packet.proposal_hash);
    return super.receive(packet);
  }

  /** A person, the line, an executor or the clock. */
  act(): void {
    const dice = this.below(20);
    if (dice < 9) this.deliver(this.random() < 0.2);
    else if (dice < 12) this.work(this.pick([ann, ...Object.keys(this.members)]));
    else if (dice < 13) this.pass(this.below(4 * hour));
    else if (dice < 15) this.coordinate({ kind: 'propose', content: { ...dinner, confirmation_timeout: this.pick(['PT6H', 'P1D']) } });
    else this.decideAsPerson();
  }

  private decideAsPerson(): void {
    const hash = (this.random() < 0.85 ? this.hashes.at(-1) : this.pick(this.hashes)) ?? 'none';
    const agent = this.pick([ann, ...Object.keys(this.members)]);
    const dice = this.below(20);
    const input: NegotiationInput & GroupInput =
      dice < 16
        ? { kind: 'confirm', hash }
        : dice < 18
          ? { kind: 'suggest', hash }
          : dice < 19
            ? { kind: 'continue' }
            : { kind: 'decline' };
    if (agent === ann) this.coordinate(input);
    else this.member(agent, input);
  }

  private deliver(isKept: boolean): void {
    const at = this.below(this.line.length);
    const [sent] = isKept ? this.line.slice(at, at + 1) : this.line.splice(at, 1);
    if (sent) this.receive(sent);
  }

  private say(agent: string, input: Extract<NegotiationInput & GroupInput, { hash: string }>): void {
    if (agent === ann) this.coordinate(input);
    else this.member(agent, input);
  }

  private work(agent: string): boolean {
    const job = this.jobs[agent]?.shift();
    if (!job) return false;
    const { hash } = job;
    const name = (action: number): string => `${agent} ${hash} ${action}`;
    const own = Object.keys(this.net).filter((one) => one.startsWith(`${agent} ${hash} `));
    if (job.kind === 'undo') {
      for (const one of own) this.net[one] = 0;
      this.say(agent, { kind: 'undone', hash, irreversible: [] });
      return true;
    }
    if (agent === ann && job.scope === 'shared') this.say(agent, { kind: 'begin', hash });
    const completed = own.filter((one) => this.net[one]! > 0).length;
    if (this.random() < 0.15) this.say(agent, { kind: 'failed', hash, scope: job.scope, constraint: 'Fully booked', completed });
    else {
      for (const action of job.actions) this.net[name(action)] = (this.net[name(action)] ?? 0) + 1;
      this.say(agent, { kind: 'done', hash, scope: job.scope });
    }
    return true;
  }

  private pass(ms: number): void {
    this.now += ms;
    this.coordinate({ kind: 'tick' });
    for (const peer of Object.keys(this.lines)) this.coordinate({ kind: 'line', peer, input: { kind: 'tick' } });
    for (const agent of Object.keys(this.members)) this.member(agent, { kind: 'tick' });
  }

  /** Everything arrives, every executor finishes, and all clocks run out. */
  settle(): void {
    for (let rounds = 0; rounds < 2000; rounds += 1) {
      if (this.line.length > 0) this.deliver(false);
      else if (![ann, ...Object.keys(this.members)].some((agent) => this.work(agent))) {
        const clocks = [...Object.values(this.lines), ...Object.values(this.members)].map((one) => nextTick(one));
        const due = [nextGroupTick(this.group), ...clocks].filter((time) => time !== null);
        if (due.length === 0) return;
        this.pass(Math.max(0, Math.min(...due) - this.now));
      }
    }
    this.judge.problems.push('the group never settles');
  }

  /** What must hold once nothing moves any more. */
  verdict(): string[] {
    const problems = [...this.judge.problems];
    const end = this.group.state;
    const seen = (state: NegotiationState): string => (state === 'INITIATED' || state === 'STALLED' ? 'NEGOTIATING' : state);
    const members = Object.values(this.members);
    for (const { own, state, proposal } of members) {
      if (seen(state) !== seen(end)) problems.push(`the coordinator ends ${end}, ${own} ${state}`);
      const isCompared = ['COMPLETED', 'EXPIRED'].includes(end);
      if (isCompared && proposal?.hash !== this.hash) problems.push(`${own} has another hash in ${end}`);
    }
    if (end === 'DECLINED' && !this.judge.hasDecline) problems.push('declined by no person');
    const happened = Object.entries(this.net).flatMap(([name, count]) => Array.from({ length: count }, () => name));
    const counted = end === 'COMPLETED' ? this.judge.announced.get(this.hash)! : [];
    const expected = counted.flatMap((agent) => [...(agent === ann ? [`${agent} ${this.hash} 0`] : []), `${agent} ${this.hash} 1`]);
    if (happened.toSorted().join() !== expected.toSorted().join()) problems.push(`${end}, and happened: ${happened.join() || 'nothing'}`);
    return problems;
  }
}

describe('many sides', () => {
  it('[A2C-27] [A2C-28] [A2C-30] end alike, under one hash, and nobody executes who was not counted', () => {
    process.stdout.write(`groups: seed ${seed} (PARLEY_SEED=${seed} repeats it)\n`);
    const ends: Partial<Record<NegotiationState, number>> = {};
    const visited = new Set<string>();
    for (let run = 0; run < runs; run += 1) {
      const world = new World(randomFrom(seed * 100_000 + run));
      for (const peer of Object.keys(world.lines))
        world.coordinate({
          kind: 'line',
          peer,
          input: { kind: 'send', type: 'context', content: { context: { event: 'games' } }, by: 'agent' },
        });
      for (let step = 0; step < (run % 4 === 0 ? 300 : 80); step += 1) world.act();
      world.settle();
      expect(world.verdict(), `PARLEY_SEED=${seed}, run ${run}`).toEqual([]);
      ends[world.group.state] = (ends[world.group.state] ?? 0) + 1;
      for (const one of world.judge.visited) visited.add(one);
    }
    process.stdout.write(`  ${JSON.stringify(ends)}\n`);
    // A quiet world would prove nothing.
    expect([...visited]).toEqual(
      expect.arrayContaining(['PROPOSED', 'CONFIRMED', 'COMPLETED', 'DECLINED', 'EXPIRED', 'ROLLBACK', 'STALLED']),
    );
  });
});

// Two machines over a line that delays, duplicates and reorders, with people, brains and executors that act at random.

import { describe, expect, it } from 'vitest';
import { NegotiationJudge } from '../../test/kit/negotiation-judge.ts';
import { dinner, hour, Negotiators } from '../../test/kit/negotiators.ts';
import { randomFrom } from '../../test/kit/random.ts';
import { nextTick } from './clock.ts';
import type { NegotiationDecision } from './decide.ts';
import type { NegotiationInput } from './inputs.ts';
import { type NegotiationRole, type NegotiationState, negotiationStates } from './states.ts';

const seed = Number(process.env['PARLEY_SEED'] ?? 7);
/** A run takes about 10 ms. */
const runs = 300;
const roles = ['initiator', 'responder'] as const;

type Job = { kind: 'run'; hash: string; scope: 'shared' | 'own'; actions: number[]; hasBegun: boolean } | { kind: 'undo'; hash: string };
const fields = ['time_windows', 'dietary', 'budget', 'transport', 'area', 'party_size', 'cuisine'];

class World extends Negotiators {
  readonly judge = new NegotiationJudge();
  private readonly jobs: Record<NegotiationRole, Job[]> = { initiator: [], responder: [] };
  /** How often each action of each proposal has happened, less how often it was undone. */
  readonly net: Record<string, number> = {};
  private readonly hashes: string[] = [];
  private readonly random: () => number;

  private readonly isChatty: boolean;

  constructor(start: number) {
    super();
    this.isChatty = start % 5 === 0;
    this.random = randomFrom(start);
  }

  private below = (most: number): number => Math.floor(this.random() * most);
  private pick = <T>(items: readonly T[]): T => items[this.below(items.length)]!;

  override decide(role: NegotiationRole, input: NegotiationInput): NegotiationDecision {
    const decision = super.decide(role, input);
    this.judge.watch(role, input, decision);
    for (const effect of decision.effects) {
      if (effect.kind === 'run') this.jobs[role].push({ ...effect, hasBegun: effect.scope === 'own' });
      if (effect.kind === 'undo') this.jobs[role].push(effect);
      if (effect.kind === 'ask_confirmation') this.hashes.push(effect.hash);
    }
    return decision;
  }

  /** A person, a brain, the line, an executor or the clock. */
  act(): void {
    const role = this.pick(roles);
    const dice = this.below(20);
    if (dice < 7) this.deliver(this.random() < 0.2);
    else if (dice < 11) this.work(role);
    else if (dice < 12) this.pass(this.below(3 * hour));
    else this.decide(role, this.someInput());
  }

  private someInput(): NegotiationInput {
    const proposal = this.random() < 0.8 ? this.hashes.at(-1) : this.pick(this.hashes);
    const hash = proposal ?? 'none';
    const some = (): string[] => fields.filter(() => this.random() < 0.4);
    // Some agents talk for long.
    switch (this.isChatty && this.random() < 0.8 ? 0 : this.below(12)) {
      case 0:
      case 1:
      case 2: {
        const needs = some().map((field) => ({ field, priority: this.pick(['required', 'helpful', 'nice_to_have'] as const) }));
        const context_provided = Object.fromEntries(some().map((field) => [field, 'yes']));
        const context_unavailable = some().map((field) => ({ field, status: 'declined', hint: null }));
        const content = { needs, context_provided, context_unavailable };
        return { kind: 'send', type: 'context', content, by: this.random() < 0.9 ? 'agent' : 'person' };
      }
      case 3:
      case 4:
        return { kind: 'propose', content: { ...dinner, confirmation_timeout: this.pick(['PT1H', 'PT6H', 'P1D']) } };
      case 5:
      case 6:
      case 7:
      case 8:
        return { kind: 'confirm', hash };
      case 9:
        return { kind: 'suggest', hash };
      case 10:
        if (this.random() < 0.4) return this.someDrift();
        return this.random() < 0.3 ? { kind: 'decline' } : { kind: 'continue' };
      default:
        return this.random() < 0.2 ? { kind: 'give_up', reason: 'no packet' } : { kind: 'continue' };
    }
  }

  private someDrift(): NegotiationInput {
    const summary = this.pick(['Dinner', 'Game night', 'Dinner and games', 'Games']);
    const needs = [{ field: this.pick(fields), priority: 'helpful' as const }];
    if (this.random() < 0.3) return { kind: 'fork', threads: [{ thread_id: `thr_fork${10 + this.below(12)}`, intent: { summary } }] };
    return { kind: 'change_intent', intent: { summary }, needs: this.random() < 0.5 ? needs : [], by: this.pick(['agent', 'person']) };
  }

  private deliver(isKept: boolean): void {
    const at = this.below(this.line.length);
    const [sent] = isKept ? this.line.slice(at, at + 1) : this.line.splice(at, 1);
    if (sent) this.receive(sent.to, sent.text);
  }

  private work(role: NegotiationRole): boolean {
    const job = this.jobs[role][0];
    if (!job) return false;
    const key = (action: number): string => `${role} ${job.hash} ${action}`;
    if (job.kind === 'undo') {
      for (const name of Object.keys(this.net)) if (name.startsWith(`${role} ${job.hash} `)) this.net[name] = 0;
      this.jobs[role].shift();
      this.decide(role, { kind: 'undone', hash: job.hash, irreversible: [] });
    } else if (!job.hasBegun) {
      job.hasBegun = true;
      this.decide(role, { kind: 'begin', hash: job.hash });
    } else {
      this.jobs[role].shift();
      const { hash, scope } = job;
      const completed = Object.entries(this.net).filter(([name, count]) => name.startsWith(`${role} ${hash} `) && count > 0).length;
      if (this.random() < 0.25) this.decide(role, { kind: 'failed', hash, scope, constraint: 'Fully booked', completed });
      else {
        for (const action of job.actions) this.net[key(action)] = (this.net[key(action)] ?? 0) + 1;
        this.decide(role, { kind: 'done', hash, scope });
      }
    }
    return true;
  }

  private pass(ms: number): void {
    this.now += ms;
    for (const role of roles) this.decide(role, { kind: 'tick' });
  }

  /** Everything arrives, every executor finishes, and all clocks run out. */
  settle(): void {
    for (let rounds = 0; rounds < 500; rounds += 1) {
      if (this.line.length > 0) this.deliver(false);
      else if (!roles.some((role) => this.work(role))) {
        this.compare();
        const due = roles.flatMap((role) => nextTick(this.sides[role]) ?? []);
        if (due.length === 0) return;
        this.pass(Math.max(0, Math.min(...due) - this.now));
      }
    }
    this.judge.problems.push('the negotiation never settles');
  }

  /** With an empty line both see the same; only a clock that one side has not looked at may tell them apart. */
  private compare(): void {
    const [own, peer] = [this.sides.initiator, this.sides.responder];
    const seen = ({ state }: { state: NegotiationState }): string => (state === 'INITIATED' || state === 'STALLED' ? 'NEGOTIATING' : state);
    if (seen(own) !== seen(peer)) this.judge.problems.push(`${own.state} and ${peer.state} with an empty line`);
    if (own.state !== 'DECLINED' && own.proposal?.hash !== peer.proposal?.hash) this.judge.problems.push(`two hashes in ${own.state}`);
  }

  /** What must hold once nothing moves any more. */
  verdict(): string[] {
    const [own, peer] = [this.sides.initiator, this.sides.responder];
    const problems = [...this.judge.problems];
    const end = own.state;
    if (end !== peer.state) problems.push(`the initiator ends ${end}, the responder ${peer.state}`);
    if (!['COMPLETED', 'DECLINED', 'EXPIRED', 'STALLED'].includes(end)) problems.push(`both end ${end}`);
    if (end !== 'DECLINED' && own.proposal?.hash !== peer.proposal?.hash) problems.push(`the hashes differ in ${end}`);
    if (end === 'DECLINED' && !this.judge.hasDecline) problems.push('declined by no person');
    const happened = Object.entries(this.net).flatMap(([name, count]) => Array.from({ length: count }, () => name));
    const hash = own.proposal?.hash ?? '';
    const expected = end === 'COMPLETED' ? [`initiator ${hash} 0`, `initiator ${hash} 1`, `responder ${hash} 1`] : [];
    if (happened.toSorted().join() !== expected.join()) problems.push(`${end}, and happened: ${happened.join() || 'nothing'}`);
    return problems;
  }
}

describe('two sides', () => {
  it('[A2C-28] [A2C-17] end alike, under one hash, and nobody executes without the outcome', () => {
    process.stdout.write(`negotiations: seed ${seed} (PARLEY_SEED=${seed} repeats it)\n`);
    const ends: Partial<Record<NegotiationState, number>> = {};
    const visited = new Set<string>(['INITIATED']);
    const verdicts = new Set<string>();
    for (let run = 0; run < runs; run += 1) {
      const world = new World(seed * 100_000 + run);
      world.decide('initiator', { kind: 'send', type: 'context', content: { context: { event: 'dinner' } }, by: 'agent' });
      // Long ones fail, undo and propose again several times.
      for (let step = 0; step < (run % 4 === 0 ? 250 : 60); step += 1) world.act();
      world.settle();
      expect(world.verdict(), `PARLEY_SEED=${seed}, run ${run}`).toEqual([]);
      const { state } = world.sides.initiator;
      ends[state] = (ends[state] ?? 0) + 1;
      for (const one of world.judge.visited) visited.add(one);
      for (const one of world.judge.verdicts) verdicts.add(one);
    }
    process.stdout.write(`  ${JSON.stringify(ends)}\n`);
    // A quiet world would prove nothing.
    expect(visited.size).toBe(negotiationStates.length);
    expect([...verdicts]).toEqual(expect.arrayContaining(['held', 'crossed', 'stale', 'repeated', 'already_confirmed', 'exchange_limit']));
  });
});

// What must hold of a person's approval, said again from scratch (IAC-14, SYS-1): the right one is asked, once; only their answer
// counts, once; and what they approved is done once, with exactly these arguments.

import { createHash } from 'node:crypto';
import type { Rows } from '@parley/hub';
import type { ContactPermits } from './contact-permits.ts';
import { wordOf } from '../../../src/store/stored-values.ts';
import type { ModelTask } from './floor-moves.ts';

type Fact = Rows['facts'];

/** Of one task so many are asked for at once. */
const most = 20;

export interface Yes {
  id: string;
  task: string;
  agent: string;
  target: string | null;
  digest: string;
  /** As JSON: what was asked for. */
  input: string;
  /** Who is asked. */
  person: string | undefined;
  state: 'pending' | 'approved' | 'used' | 'denied' | 'expired';
}

export interface Call {
  action: string;
  target: string;
  message: string;
  context: string | undefined;
  priority: string | undefined;
}

/** Of the exact arguments: keys in their order, nothing that was not given. */
export const digestOf = ({ action, target, message, context, priority }: Call): string => {
  const input = { action, agentId: target, context, message, ...(action === 'delegate' ? { priority } : {}) };
  return createHash('sha256')
    .update(JSON.stringify(['contact_agent', input]))
    .digest('base64url');
};

export class YesModel {
  readonly all = new Map<string, Yes>();
  /** Those nobody has answered yet. */
  readonly open = new Map<string, Yes>();
  private readonly ofTask = new Map<string, Yes[]>();
  /** Checkpoint → who has it before them. */
  private readonly inboxes = new Map<string, string>();
  private readonly permits: ContactPermits;
  private readonly wrong: (what: string) => void;

  constructor(permits: ContactPermits, wrong: (what: string) => void) {
    this.permits = permits;
    this.wrong = wrong;
  }

  of(task: string): readonly Yes[] {
    return this.ofTask.get(task) ?? [];
  }

  isAsked(task: string): boolean {
    return this.of(task).some(({ state }) => state === 'pending');
  }

  put(fact: Fact): void {
    const id = fact.subject_id!;
    this.inboxes.set(id, fact.member_id!);
    const yes = this.all.get(id);
    // Closed for the one before: another person answers for the agent now.
    if (yes?.state !== 'expired' || yes.person === fact.member_id) return;
    yes.state = 'pending';
    yes.person = fact.member_id!;
    this.open.set(id, yes);
  }

  asked(fact: Fact, data: Record<string, unknown>, task: ModelTask | undefined, row: Rows['approvals'] | undefined): void {
    const id = fact.subject_id!;
    if (!row || !task) return this.wrong(`approval.asked at ${fact.seq} of nothing`);
    const person = this.inboxes.get(id);
    const yes: Yes = {
      id,
      task: task.id,
      agent: fact.member_id!,
      target: (data['target'] as string | undefined) ?? null,
      digest: row.digest,
      input: row.input,
      person,
      state: 'pending',
    };
    const { agent } = yes;
    if (task.state !== 'active' || task.agent !== agent) this.wrong(`${agent} asked for ${id} in ${task.id}, which is ${task.state}`);
    if (person === undefined || person !== this.permits.approver(agent))
      this.wrong(`${person} was asked about ${id}, and ${this.permits.approver(agent)} answers for ${agent}`);
    if (yes.target !== null && this.permits.of(task, yes.target).is !== 'ask')
      this.wrong(`${id} was asked at ${fact.seq}, and need not be`);
    const before = this.of(task.id);
    const same = before.find((one) => one.digest === yes.digest && one.agent === agent && one.state !== 'used' && one.state !== 'expired');
    if (same) this.wrong(`${id} was asked at ${fact.seq}, and is ${same.state} already as ${same.id}`);
    this.all.set(id, yes);
    this.open.set(id, yes);
    this.ofTask.set(task.id, [...before, yes]);
    if (this.of(task.id).filter(({ state }) => state === 'pending').length > most)
      this.wrong(`of ${task.id} too many are asked at ${fact.seq}`);
  }

  answered(fact: Fact, data: Record<string, unknown>): void {
    const yes = this.all.get(fact.subject_id!);
    if (!yes) return this.wrong(`approval.answered at ${fact.seq} of nothing`);
    if (yes.state !== 'pending') this.wrong(`${yes.id} was answered at ${fact.seq}, and is ${yes.state}`);
    if (!this.permits.mayAnswer(fact.actor_id, yes.person))
      this.wrong(`${fact.actor_id} answered ${yes.id}, which ${yes.person} was asked`);
    yes.state = data['choice'] === 'deny' ? 'denied' : 'approved';
    this.open.delete(yes.id);
  }

  /** Before an answer: nobody is asked any more. */
  closed(fact: Fact): void {
    const yes = this.all.get(fact.subject_id!);
    if (yes?.state !== 'pending') return;
    yes.state = 'expired';
    this.open.delete(yes.id);
  }

  /** Its agent has it no more, or what it had read is gone. */
  over(task: string, what: string): void {
    for (const yes of this.of(task)) {
      if (yes.state === 'pending') this.wrong(`${yes.id} is still asked, though ${what}`);
      if (yes.state === 'approved') yes.state = 'expired';
    }
  }

  /** An approval for just this, and not made use of before. */
  use(task: string, digest: string | undefined, target: string): Yes | undefined {
    const yes = this.of(task).find(
      (one) => one.state === 'approved' && (digest === undefined ? one.target === target : one.digest === digest),
    );
    if (yes) yes.state = 'used';
    return yes;
  }

  compare(row: Rows['approvals']): void {
    const yes = this.all.get(row.id);
    if (!yes) return this.wrong(`${row.id} has no facts`);
    const state = wordOf(row.state);
    if (state !== yes.state) this.wrong(`${row.id} is kept as ${state}, its facts say ${yes.state}`);
  }
}

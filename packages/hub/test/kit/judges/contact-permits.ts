// Who may contact whom, said again from scratch (IAC-12, IAC-13, SYS-13): what people wrote down of it, and what a turn has read.

import type { Rows } from '@parley/hub';
import type { ModelTask } from './floor-moves.ts';

type Fact = Rows['facts'];

const strictness = ['autonomous', 'supervised', 'strict'];

interface Who {
  kind: string;
  role: string;
  owner: string | null;
  manager: string | null;
  mode: string;
  version: number;
}

interface Line {
  permission: string;
  requiresApproval: boolean;
}

/** Where a chain began, and for whom. */
export interface Root {
  requester: string | null;
  home: string;
}

/** `no`: forbidden, by which line. `free`: nobody need be asked. `ask`: a person is. */
export type Permit = { is: 'free' } | { is: 'ask' } | { is: 'no'; line: string };

export class ContactPermits {
  readonly roots = new Map<string, Root>();
  private readonly who = new Map<string, Who>();
  /** Who and to whom → what a person wrote. */
  private readonly lines = new Map<string, Line>();
  /** Said yes to for good. */
  private readonly always = new Set<string>();
  private readonly tainted = new Set<string>();
  private readonly isIn: (room: string, member: string) => boolean;

  constructor(isIn: (room: string, member: string) => boolean) {
    this.isIn = isIn;
  }

  add({ id, kind, role, owner_id: owner, manager_id: manager }: Rows['members']): void {
    if (!this.who.has(id)) this.who.set(id, { kind, role, owner, manager, mode: 'autonomous', version: 0 });
  }

  /** Of an agent, as it is written down last. */
  version(agent: string): number {
    return this.who.get(agent)?.version ?? 0;
  }

  changed(fact: Fact, row: Rows['identity_versions'] | undefined): void {
    const one = this.who.get(fact.member_id!);
    if (!one || !row) return;
    const { mode, managerId } = JSON.parse(row.data) as { mode: string; managerId: string | null };
    // Who is to ask for more than before asks for this again, too.
    if (strictness.indexOf(mode) > strictness.indexOf(one.mode)) this.asksAgain(fact.member_id!, () => true);
    this.who.set(fact.member_id!, { ...one, mode, manager: managerId, version: row.version });
  }

  ruled(fact: Fact, data: Record<string, unknown>): void {
    const pair = `${fact.member_id} ${data['target'] as string}`;
    const line = { permission: data['permission'] as string, requiresApproval: data['requiresApproval'] === true };
    this.lines.set(pair, line);
    this.always.delete(pair);
    // A line for all concerns those that have none of their own.
    if (data['target'] === '*' && (line.permission === 'deny' || line.requiresApproval))
      this.asksAgain(fact.member_id!, (other) => !this.lines.has(other));
  }

  /** An approval for good was for what was asked then. */
  private asksAgain(agent: string, which: (pair: string) => boolean): void {
    for (const pair of this.always) if (pair.startsWith(`${agent} `) && which(pair)) this.always.delete(pair);
  }

  cleared(fact: Fact, data: Record<string, unknown>): void {
    const pair = `${fact.member_id} ${data['target'] as string}`;
    this.lines.delete(pair);
    this.always.delete(pair);
  }

  forGood(fact: Fact, data: Record<string, unknown>): void {
    this.always.add(`${fact.member_id} ${data['target'] as string}`);
  }

  taint(task: string): void {
    this.tainted.add(task);
  }

  /** What it was asked was written by an agent, or by another person than whoever began it. */
  opened(task: ModelTask, home: string): void {
    if (!this.roots.has(task.chain)) this.roots.set(task.chain, { requester: task.requester, home });
    if (task.parent !== null || this.roots.get(task.chain)!.requester !== task.requester) this.taint(task.id);
  }

  /** Whether its agent may contact the other in it. */
  of(task: ModelTask, target: string): Permit {
    const agent = task.agent!;
    const taints = this.tainted.has(task.id) && !this.isGiven(task, target);
    const [me, other] = [this.who.get(agent), this.who.get(target)];
    if (me?.manager === target || other?.manager === agent) return { is: taints ? 'ask' : 'free' };
    const [own, all] = [this.lines.get(`${agent} ${target}`), this.lines.get(`${agent} *`)];
    const line = own ?? all;
    if (line?.permission === 'deny') return { is: 'no', line: own ? 'denied' : 'denied_for_all' };
    if (taints) return { is: 'ask' };
    if (this.always.has(`${agent} ${target}`)) return { is: 'free' };
    return { is: line?.requiresApproval === true || me?.mode !== 'autonomous' ? 'ask' : 'free' };
  }

  private isGiven(task: ModelTask, target: string): boolean {
    const root = this.roots.get(task.chain)!;
    const other = this.who.get(target);
    if (task.path.includes(target) || this.isIn(root.home, target)) return true;
    return root.requester !== null && (other?.owner === root.requester || other?.manager === root.requester);
  }

  /** Who was asked; and where they cannot, who answers for the workspace. Never an agent. */
  mayAnswer(member: string | null, asked: string | undefined): boolean {
    const one = this.who.get(member ?? '');
    return one?.kind === 'human' && (member === asked || one.role === 'owner' || one.role === 'admin');
  }

  /** Who is asked: the nearest person above, or whoever the agent belongs to. */
  approver(agent: string): string | null {
    const seen = new Set<string>();
    for (let id = this.who.get(agent)?.manager ?? null; id !== null && !seen.has(id); id = this.who.get(id)?.manager ?? null) {
      if (this.who.get(id)?.kind === 'human') return id;
      seen.add(id);
    }
    return this.who.get(agent)?.owner ?? null;
  }
}

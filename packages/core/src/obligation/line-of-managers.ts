// The escalation ladder (C2A-31): an unanswered obligation goes to the manager, and in the end to a person.

import type { Ladder } from './obligation.ts';
import type { MemberFacts } from '../access/access.ts';

export interface Rung {
  id: string;
  kind: 'human' | 'agent';
  active: boolean;
  managerId: string | null;
  /** Of an agent: the person who answers for it. */
  ownerId: string | null;
}

export interface ManagerOf {
  memberOf: (id: string) => Rung | undefined;
  /** An agent that is not where it was asked can do nothing about it. */
  canAct: (agentId: string) => boolean;
  /** Of the workspace, active, the first one first. */
  owners: () => readonly string[];
}

/**
 * Nearest first, a person last: the nearest person above, else the owner of the agent, else an owner of the workspace.
 * A person whom nobody stands above is asked themselves.
 */
export function ladderAbove(recipientId: string, { memberOf, canAct, owners }: ManagerOf): Ladder {
  const recipient = memberOf(recipientId);
  const agents: { id: string; kind: 'agent' }[] = [];
  const seen = new Set([recipientId]);
  const above = (rung: Rung | undefined): string | null =>
    rung === undefined ? null : rung.kind === 'agent' ? (rung.managerId ?? rung.ownerId) : rung.managerId;
  for (let id = above(recipient); id !== null && !seen.has(id);) {
    seen.add(id);
    const rung = memberOf(id);
    if (rung?.active && rung.kind === 'human') return [...agents, { id, kind: 'human' }];
    if (rung?.active && canAct(id)) agents.push({ id, kind: 'agent' });
    id = above(rung);
  }
  const owner = !recipient || recipient.ownerId === null ? undefined : memberOf(recipient.ownerId);
  if (owner?.active) return [...agents, { id: owner.id, kind: 'human' }];
  const last = owners().find((id) => id !== recipientId) ?? (recipient?.kind === 'human' && recipient.active ? recipientId : undefined);
  return last === undefined ? agents : [...agents, { id: last, kind: 'human' }];
}

// When a person is deactivated, what they answered for goes to someone who can answer (SYS-14).

export interface Candidate extends MemberFacts {
  status: 'active' | 'deactivated' | 'erased';
  createdAt: number;
}

/** Their manager if that is an active person, else the nearest person above, else the longest-serving active admin or owner. */
export function heirOf(leaving: MemberFacts, members: ReadonlyMap<string, Candidate>): string | undefined {
  const seen = new Set([leaving.id]);
  for (let id = leaving.managerId; id !== null && !seen.has(id);) {
    seen.add(id);
    const above = members.get(id);
    if (!above) break;
    if (above.kind === 'human' && above.status === 'active') return above.id;
    id = above.kind === 'agent' ? (above.managerId ?? above.ownerId) : above.managerId;
  }
  const stewards = [...members.values()].filter(
    (m) => m.id !== leaving.id && m.kind === 'human' && m.status === 'active' && (m.role === 'admin' || m.role === 'owner'),
  );
  // Admins before owners: the work is the admins' to sort out; the owner is the last resort.
  stewards.sort((a, b) => Number(a.role === 'owner') - Number(b.role === 'owner') || a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  return stewards[0]?.id;
}

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

type Managed = Pick<MemberFacts, 'id' | 'kind' | 'managerId' | 'ownerId'>;
const managerOrOwner = ({ kind, managerId, ownerId }: Managed): string | null => (kind === 'agent' ? (managerId ?? ownerId) : managerId);

/** The members above one, nearest first, each once, up to the first who is not there. */
export function* lineAbove<M extends Managed>(
  from: Managed | undefined,
  memberOf: (id: string) => M | undefined,
  above: (member: Managed) => string | null = managerOrOwner,
): Generator<M> {
  const seen = new Set<string>();
  for (let below = from; below !== undefined;) {
    seen.add(below.id);
    const id = above(below);
    const member: M | undefined = id === null || seen.has(id) ? undefined : memberOf(id);
    if (member) yield member;
    below = member;
  }
}

/**
 * Nearest first, a person last: the nearest person above, else the owner of the agent, else an owner of the workspace.
 * A person whom nobody stands above is asked themselves.
 */
export function ladderAbove(recipientId: string, { memberOf, canAct, owners }: ManagerOf): Ladder {
  const recipient = memberOf(recipientId);
  const agents: { id: string; kind: 'agent' }[] = [];
  for (const { id, kind, active } of lineAbove(recipient, memberOf)) {
    if (active && kind === 'human') return [...agents, { id, kind }];
    if (active && canAct(id)) agents.push({ id, kind: 'agent' });
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
  for (const above of lineAbove(leaving, (id) => members.get(id))) if (above.kind === 'human' && above.status === 'active') return above.id;
  const stewards = [...members.values()].filter(
    (m) => m.id !== leaving.id && m.kind === 'human' && m.status === 'active' && (m.role === 'admin' || m.role === 'owner'),
  );
  // Admins before owners: the work is the admins' to sort out; the owner is the last resort.
  stewards.sort((a, b) => Number(a.role === 'owner') - Number(b.role === 'owner') || a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  return stewards[0]?.id;
}

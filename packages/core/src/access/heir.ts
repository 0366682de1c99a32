// When a person is deactivated, what they answered for goes to someone who can answer (SYS-14).

import type { MemberFacts } from './access.ts';

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

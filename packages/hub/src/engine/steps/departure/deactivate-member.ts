// When a member leaves: every way in ends, and what they answered for is handed on (SYS-14).

import { type Actor, type Candidate, heirOf } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy } from '../../../store/port.ts';
import type { MemberRow } from '../../../store/tables.ts';
import { type Context, memberFacts } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endBorrowedFrom, endLentBy, spend } from './borrowed-access.ts';
import { handCheckpoints } from '../facts/checkpoints.ts';
import { leaveClaims } from '../offers/claims.ts';
import { handProvoked } from './provoke-handovers.ts';
import { endTokensMadeBy, inheritAgent, withdrawHandover, withdrawOffersTo } from './agent-handovers.ts';
import { forgetMailboxes } from '../agents/mailbox-digests.ts';
import { change, keepAnOwner } from '../membership/members.ts';
import { endWaitsOf, handOwed } from '../obligations/obligations.ts';
import { settleOffersFor } from '../offers/offers.ts';
import { endHoldings } from '../people/team-roles.ts';
import { endRoundsOf } from '../offers/offer-rounds.ts';
import { endTasksOf } from '../tasks/tasks.ts';
import { revokeAll } from '../people/tokens.ts';
import { closePeer } from '../people/peers.ts';

export const leaveWants = (memberId: string) => [
  { table: 'members' as const, values: [memberId] },
  wantBy('tokens', 'member', memberId),
  wantBy('tokens', 'creator', memberId),
  wantBy('links', 'member', memberId),
  wantBy('links', 'creator', memberId),
  wantBy('members', 'owner', memberId),
  wantBy('mailboxes', 'member', memberId),
  wantBy('role_holders', 'member', memberId),
  ...(['author', 'delegate', 'holder'] as const).map((lookup) => ({ table: 'obligations' as const, lookup, values: [memberId, 1] })),
  wantBy('provoke_objects', 'owner', memberId),
  wantBy('checkpoints', 'member', memberId, 1),
  wantBy('tasks', 'agent', memberId, 1),
  wantBy('tasks', 'requester', memberId, 1),
];

/** Ends every way in at once, and hands what the person answered for to someone who can answer. */
export function deactivate(member: MemberRow, actor: Actor, set: WorkingSet, context: Context): MemberRow {
  if (member.role === 'owner') keepAnOwner(member, set);
  revokeAll(member.id, actor, set, context);
  endBorrowedFrom(member.id, actor, set, context);
  endLentBy(member.id, actor, set, context);
  const links = new Set([...set.find('links', 'member', member.id), ...set.find('links', 'creator', member.id)].map(({ id }) => id));
  for (const id of links) spend(set.get('links', id)!, actor, set, context);
  if (member.kind === 'agent') forgetMailboxes(member.id, undefined, set, context);
  endHoldings(member.id, actor, set, context);
  leaveClaims(member.id, 'agent_left', () => true, set, context);
  endTasksOf(member.id, undefined, set, context);
  endWaitsOf(member.id, set, context);
  endRoundsOf(member.id, undefined, set, context);
  if (member.kind === 'agent') withdrawHandover(member.id, set, context);
  else {
    endTokensMadeBy(member.id, () => true, actor, set, context);
    withdrawOffersTo(member.id, set, context);
  }
  const agents = set.find('members', 'owner', member.id);
  const heir = member.kind === 'human' ? heirOf(memberFacts(member), candidates(member, set)) : undefined;
  if (heir !== undefined) handOwed(member.id, heir, set, context);
  if (member.kind === 'human') {
    handCheckpoints(member.id, heir, set, context);
    closePeer(member.id, set, context);
  }
  handProvoked(member.id, heir, actor, set, context);
  if (agents.length > 0) {
    if (heir === undefined) throw new ParleyError('last_owner', 'There is nobody to take over this person’s agents.');
    for (const agent of agents) inheritAgent(agent, heir, actor, set, context);
  }
  const gone = change(member, { status: 'deactivated' }, actor, set, context);
  if (member.kind === 'agent') settleOffersFor([member.id], set, context);
  return gone;
}

function candidates(leaving: MemberRow, set: WorkingSet): Map<string, Candidate> {
  const found = new Map<string, Candidate>();
  const note = (row: MemberRow) => found.set(row.id, { ...memberFacts(row), status: row.status, createdAt: row.created_at });
  for (const role of ['owner', 'admin']) set.find('members', 'role', role).forEach(note);
  // The line above: an agent as manager passes on to its own manager.
  for (let id = leaving.manager_id; id !== null && !found.has(id);) {
    const above = set.get('members', id);
    if (!above) break;
    note(above);
    id = above.kind === 'agent' ? (above.manager_id ?? above.owner_id) : above.manager_id;
  }
  return found;
}

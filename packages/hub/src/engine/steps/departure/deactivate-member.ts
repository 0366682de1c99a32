// When a member leaves: every way in ends, and what they answered for is handed on (SYS-14).

import { type Actor, type Candidate, heirOf } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow } from '../../../store/tables.ts';
import { memberFacts, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endBorrowedFrom, endLentBy, spend } from './borrowed-access.ts';
import { handCheckpoints } from '../facts/checkpoints.ts';
import { leaveClaims } from '../offers/claims.ts';
import { handProvoked, endTokensMadeBy, inheritAgent, withdrawHandover, withdrawOffersTo } from './handovers.ts';
import { forgetMailboxes } from '../agents/mailbox-digests.ts';
import { change, keepAnOwner } from '../membership/members.ts';
import { endWaitsOf, handOverOwed } from '../obligations/obligations.ts';
import { settleOffersFor } from '../offers/offers.ts';
import { endHoldings } from '../people/team-roles.ts';
import { endRoundsOf } from '../offers/offer-rounds.ts';
import { endTasksOf } from '../tasks/tasks.ts';
import { revokeAll } from '../people/tokens.ts';
import { closePeer } from '../people/peers.ts';

export const leaveWants = (memberId: string) => [
  wantRow('members', memberId),
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
export function deactivate(member: MemberRow, actor: Actor, tx: Tx): MemberRow {
  if (member.role === 'owner') keepAnOwner(member, tx);
  revokeAll(member.id, actor, tx);
  endBorrowedFrom(member.id, actor, tx);
  endLentBy(member.id, actor, tx);
  const links = new Set([...tx.find('links', 'member', member.id), ...tx.find('links', 'creator', member.id)].map(({ id }) => id));
  for (const id of links) spend(tx.get('links', id)!, actor, tx);
  if (member.kind === 'agent') forgetMailboxes(member.id, undefined, tx);
  endHoldings(member.id, actor, tx);
  leaveClaims(member.id, 'agent_left', () => true, tx);
  endTasksOf(member.id, undefined, tx);
  endWaitsOf(member.id, tx);
  endRoundsOf(member.id, undefined, tx);
  if (member.kind === 'agent') withdrawHandover(member.id, tx);
  else {
    endTokensMadeBy(member.id, () => true, actor, tx);
    withdrawOffersTo(member.id, tx);
  }
  const agents = tx.find('members', 'owner', member.id);
  const heir = member.kind === 'human' ? heirOf(memberFacts(member), candidates(member, tx)) : undefined;
  if (heir !== undefined) handOverOwed(member.id, heir, tx);
  if (member.kind === 'human') {
    handCheckpoints(member.id, heir, tx);
    closePeer(member.id, tx);
  }
  handProvoked(member.id, heir, actor, tx);
  if (agents.length > 0) {
    if (heir === undefined) throw new ParleyError('last_owner', 'There is nobody to take over this person’s agents.');
    for (const agent of agents) inheritAgent(agent, heir, actor, tx);
  }
  const formerMember = change(member, { status: 'deactivated' }, actor, tx);
  if (member.kind === 'agent') settleOffersFor([member.id], tx);
  return formerMember;
}

function candidates(leaving: MemberRow, set: WorkingSet): Map<string, Candidate> {
  const found = new Map<string, Candidate>();
  const note = (row: MemberRow) => found.set(row.id, { ...memberFacts(row), status: row.status, createdAt: row.created_at });
  for (const role of ['owner', 'admin']) set.find('members', 'role', role).forEach(note);
  // The line above: an agent as manager passes on to its own manager.
  for (let id = leaving.manager_id; id !== null && !found.has(id);) {
    const manager = set.get('members', id);
    if (!manager) break;
    note(manager);
    id = manager.kind === 'agent' ? (manager.manager_id ?? manager.owner_id) : manager.manager_id;
  }
  return found;
}

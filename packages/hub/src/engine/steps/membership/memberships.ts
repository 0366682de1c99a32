// Going into a conversation and out of it.

import type { Actor } from '@parley/core';
import { seqOfFact } from '../../../store/port.ts';
import type { ConversationRow, MembershipRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { leaveClaims } from '../offers/claims.ts';
import { forgetLeaves } from '../attention/leave-requests.ts';
import { forgetMailboxes } from '../agents/mailbox-digests.ts';
import { settleOffers } from '../offers/offers.ts';
import { endRoundsOf } from '../offers/offer-rounds.ts';
import { append, heardIn } from '../facts/append.ts';
import { endTasksOf, homeOf } from '../tasks/tasks.ts';

export function enter(
  conversation: ConversationRow,
  memberId: string,
  role: MembershipRow['role'],
  actor: Actor,
  set: WorkingSet,
  context: Context,
): MembershipRow {
  const existing = set.get('memberships', conversation.id, memberId);
  if (existing) return existing;
  const fact = append(set, context, { type: 'membership.added', actor, ...heardIn(conversation.id), member_id: memberId, data: { role } });
  const membership: MembershipRow = {
    conversation_id: conversation.id,
    member_id: memberId,
    role,
    notify: 'all',
    joined_at: context.now,
    joined_seq: seqOfFact(fact),
  };
  set.insert('memberships', membership);
  if (set.get('members', memberId)?.kind === 'agent') settleOffers([conversation.id], set, context);
  return membership;
}

export function exit(membership: MembershipRow, actor: Actor, set: WorkingSet, context: Context): void {
  const isThere = (task: TaskRow): boolean => homeOf(task.conversation_id, set).id === membership.conversation_id;
  leaveClaims(membership.member_id, 'agent_left', isThere, set, context);
  endTasksOf(membership.member_id, membership.conversation_id, set, context);
  endRoundsOf(membership.member_id, membership.conversation_id, set, context);
  set.remove('memberships', membership);
  forgetLeaves(membership.member_id, membership.conversation_id, set);
  append(set, context, { type: 'membership.removed', actor, ...heardIn(membership.conversation_id), member_id: membership.member_id });
  if (set.get('members', membership.member_id)?.kind !== 'agent') return;
  forgetMailboxes(membership.member_id, membership.conversation_id, set, context);
  settleOffers([membership.conversation_id], set, context);
}

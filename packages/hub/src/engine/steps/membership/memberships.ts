// Going into a conversation and out of it.

import type { Actor } from '@parley/core';
import { seqOfFact } from '../../../store/port.ts';
import type { ConversationRow, MembershipRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { leaveClaims } from '../offers/claims.ts';
import { forgetLeaves } from '../attention/leave-requests.ts';
import { forgetMailboxes } from '../agents/mailbox-digests.ts';
import { settleOffers } from '../offers/offers.ts';
import { endRoundsOf } from '../offers/offer-rounds.ts';
import { append, heardIn } from '../facts/append.ts';
import { endTasksOf, homeOf } from '../tasks/tasks.ts';

export function enter(conversation: ConversationRow, memberId: string, role: MembershipRow['role'], actor: Actor, tx: Tx): MembershipRow {
  const existing = tx.get('memberships', conversation.id, memberId);
  if (existing) return existing;
  const fact = append(tx, { type: 'membership.added', actor, ...heardIn(conversation.id), member_id: memberId, data: { role } });
  const membership: MembershipRow = {
    conversation_id: conversation.id,
    member_id: memberId,
    role,
    notify: 'all',
    joined_at: tx.now,
    joined_seq: seqOfFact(fact),
  };
  tx.insert('memberships', membership);
  if (tx.get('members', memberId)?.kind === 'agent') settleOffers([conversation.id], tx);
  return membership;
}

export function exit(membership: MembershipRow, actor: Actor, tx: Tx): void {
  const isThere = (task: TaskRow): boolean => homeOf(task.conversation_id, tx).id === membership.conversation_id;
  leaveClaims(membership.member_id, 'agent_left', isThere, tx);
  endTasksOf(membership.member_id, membership.conversation_id, tx);
  endRoundsOf(membership.member_id, membership.conversation_id, tx);
  tx.remove('memberships', membership);
  forgetLeaves(membership.member_id, membership.conversation_id, tx);
  append(tx, { type: 'membership.removed', actor, ...heardIn(membership.conversation_id), member_id: membership.member_id });
  if (tx.get('members', membership.member_id)?.kind !== 'agent') return;
  forgetMailboxes(membership.member_id, membership.conversation_id, tx);
  settleOffers([membership.conversation_id], tx);
}

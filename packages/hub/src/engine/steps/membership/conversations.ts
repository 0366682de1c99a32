// Making conversations, and their names.

import type { Actor } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { seqOfFact, wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MembershipRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { newConversation } from '../conversations/new-conversation.ts';
import { append, heardIn } from '../facts/append.ts';
import { leaveClaims } from '../offers/claims.ts';
import { forgetLeaves } from '../attention/leave-requests.ts';
import { forgetMailboxes } from '../agents/mailbox-digests.ts';
import { settleOffers } from '../offers/offers.ts';
import { endRoundsOf } from '../offers/offer-rounds.ts';
import { endTasksOf, homeOf } from '../tasks/tasks.ts';

export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase();

type Naming = Pick<ConversationRow, 'name' | 'visibility' | 'archived_at'>;

/** Only a public channel in use holds its name: whether a private one has it is known to those who are in it. */
export const heldName = ({ name, visibility, archived_at }: Naming): string | null =>
  visibility === 'public' && archived_at === null ? foldName(name!) : null;

/** Channels in use of this name that the actor is in, and the public one. */
export function channelsNamed(name: string, actor: Actor, set: WorkingSet): { joined: ConversationRow[]; open: ConversationRow[] } {
  const fold = foldName(name);
  set.need([wantBy('private_names', 'name', fold), wantBy('conversations', 'name', fold)]);
  const hidden = set.find('private_names', 'name', fold).map((row) => row.conversation_id);
  const open = set.find('conversations', 'name', fold).filter((row) => row.visibility === 'public');
  const ids = [...hidden, ...open.map(({ id }) => id)];
  if (actor.type !== 'member') return { joined: [], open };
  set.need(ids.flatMap((id) => [wantRow('memberships', id, actor.id), wantRow('conversations', id)]));
  const isIn = (id: string): boolean => set.get('memberships', id, actor.id) !== undefined;
  return {
    joined: ids.flatMap((id) => (isIn(id) ? set.get('conversations', id)! : [])),
    open: open.filter(({ id }) => !isIn(id)),
  };
}

/** Keeps the name of a private channel as the channel is now; `before`: as it was. */
export function keepPrivateName(conversation: ConversationRow, set: WorkingSet, before?: ConversationRow): void {
  const keyOf = (row: ConversationRow | undefined): string | undefined =>
    row?.kind === 'channel' && row.visibility === 'private' && row.archived_at === null ? foldName(row.name!) : undefined;
  const [old, now] = [keyOf(before), keyOf(conversation)];
  if (old !== now && old !== undefined) {
    const row = set.get('private_names', old, conversation.id);
    if (row) set.remove('private_names', row);
  }
  if (now !== undefined && !set.get('private_names', now, conversation.id))
    set.insert('private_names', { name_fold: now, conversation_id: conversation.id });
}

/** Checks a name against the channels that the actor sees: a name that only a hidden channel has is free. */
export function mustBeFree(name: string, actor: Actor, set: WorkingSet, except?: string): void {
  const { joined, open } = channelsNamed(name, actor, set);
  if ([...joined, ...open].some(({ id }) => id !== except)) throw new ParleyError('name_taken');
}

export function newChannel(
  input: Pick<ConversationRow, 'topic' | 'visibility' | 'floor' | 'history'> & { name: string },
  actor: Actor,
  tx: Tx,
): ConversationRow {
  mustBeFree(input.name, actor, tx);
  const { name, topic, visibility, floor, history } = input;
  const name_fold = heldName({ ...input, archived_at: null });
  const conversation = newConversation({ kind: 'channel', name, name_fold, topic, visibility, floor, history }, actor, tx);
  keepPrivateName(conversation, tx);
  return conversation;
}

export const dmKey = (ids: string[]): string => [...new Set(ids)].sort().join(',');

export function newDm(ids: string[], actor: Actor, tx: Tx): ConversationRow {
  const conversation = newConversation({ kind: 'dm', dm_key: dmKey(ids) }, actor, tx);
  for (const id of ids) enter(conversation, id, 'participant', actor, tx);
  return conversation;
}

/** A guest is in a few conversations, a member may be in thousands. */
export function guestShares(guest: string, other: string, set: WorkingSet): boolean {
  const guestConversations = set.find('memberships', 'member', guest).map((m) => m.conversation_id);
  return set.each(guestConversations, (id) => set.get('memberships', id, other) !== undefined).includes(true);
}

// Going into a conversation and out of it.

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

// Making conversations, and going in and out of them.

import type { Actor } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { seqOfFact } from '../../../store/port.ts';
import type { ConversationRow, MembershipRow, TaskRow } from '../../../store/tables.ts';
import { actorId, type Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { leaveClaims } from '../offers/claims.ts';
import { forgetLeaves } from '../attention/leave-requests.ts';
import { forgetMailboxes } from '../agents/mailboxes.ts';
import { settleOffers } from '../offers/offers.ts';
import { endRoundsOf } from '../offers/offer-rounds.ts';
import { append, heardIn } from '../facts/append.ts';
import { endTasksOf, homeOf } from '../tasks/tasks.ts';

export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase();

type Naming = Pick<ConversationRow, 'name' | 'visibility' | 'archived_at'>;

/** Only a public channel in use holds its name: whether a private one has it is known to those who are in it. */
export const heldName = ({ name, visibility, archived_at }: Naming): string | null =>
  visibility === 'public' && archived_at === null ? foldName(name!) : null;

/** Channels in use of this name that the actor is in, and the public one. */
export function channelsNamed(name: string, actor: Actor, set: WorkingSet): { joined: ConversationRow[]; open: ConversationRow[] } {
  const fold = foldName(name);
  const memberships = actor.type === 'member' ? set.find('memberships', 'member', actor.id) : [];
  set.need(memberships.map(({ conversation_id: id }) => ({ table: 'conversations', values: [id] })));
  const joined = memberships
    .map(({ conversation_id: id }) => set.get('conversations', id)!)
    .filter((row) => row.kind === 'channel' && row.archived_at === null && foldName(row.name!) === fold);
  const open = set.find('conversations', 'name', fold).filter((row) => row.visibility === 'public' && !joined.includes(row));
  return { joined, open };
}

/** Asked of what the actor sees: a name that only a channel out of sight has is free. */
export function mustBeFree(name: string, actor: Actor, set: WorkingSet, except?: string): void {
  const { joined, open } = channelsNamed(name, actor, set);
  if ([...joined, ...open].some(({ id }) => id !== except)) throw new ParleyError('name_taken');
}

export function newChannel(
  input: {
    name: string;
    topic: string;
    visibility: ConversationRow['visibility'];
    floor: ConversationRow['floor'];
    history: ConversationRow['history'];
  },
  actor: Actor,
  set: WorkingSet,
  context: Context,
): ConversationRow {
  mustBeFree(input.name, actor, set);
  const name_fold = heldName({ ...input, archived_at: null });
  const conversation: ConversationRow = {
    id: context.ids.next('conversation'),
    kind: 'channel',
    name: input.name,
    name_fold,
    topic: input.topic,
    visibility: input.visibility,
    floor: input.floor,
    history: input.history,
    parent_id: null,
    root_message_id: null,
    dm_key: null,
    created_by: actorId(actor),
    created_at: context.now,
    archived_at: null,
  };
  set.insert('conversations', conversation);
  append(set, context, {
    type: 'conversation.created',
    actor,
    subject_id: conversation.id,
    conversation_id: conversation.id,
    scope: input.visibility === 'public' ? 'workspace' : 'conversation',
  });
  return conversation;
}

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

export const dmKey = (ids: string[]): string => [...new Set(ids)].sort().join(',');

export function newDm(ids: string[], actor: Actor, set: WorkingSet, context: Context): ConversationRow {
  const conversation: ConversationRow = {
    id: context.ids.next('conversation'),
    kind: 'dm',
    name: null,
    name_fold: null,
    topic: '',
    visibility: 'private',
    floor: 'polite',
    history: 'all',
    parent_id: null,
    root_message_id: null,
    dm_key: dmKey(ids),
    created_by: actorId(actor),
    created_at: context.now,
    archived_at: null,
  };
  set.insert('conversations', conversation);
  append(set, context, { type: 'conversation.created', actor, ...heardIn(conversation.id), subject_id: conversation.id });
  for (const id of ids) enter(conversation, id, 'participant', actor, set, context);
  return conversation;
}

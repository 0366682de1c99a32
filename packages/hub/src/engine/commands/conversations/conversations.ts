// Channels, DMs and who is in them.

import { type Actor, may, relationsToMember } from '@parley/core';
import { type CreateChannel, type EditConversation, type NotifyLevel, ParleyError } from '@parley/protocol';
import type { z } from 'zod';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, MembershipRow } from '../../../store/tables.ts';
import { actorOf, type Handler, invalidField, memberFacts, require, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import {
  enter,
  exit,
  dmKey,
  foldName,
  heldName,
  keepPrivateName,
  mustBeFree,
  newChannel,
  newDm,
  guestShares,
} from '../../steps/membership/conversations.ts';
import { endWorkIn } from '../../steps/departure/archived-channel.ts';
import { endRoundsIn } from '../../steps/offers/offer-rounds.ts';
import { putSetting, setting } from '../../steps/facts/settings.ts';
import { composeKey, composeWants } from '../../steps/messages/composing-windows.ts';
import { agentLock, append } from '../../steps/facts/append.ts';
import {
  conversationLock,
  conversationWants,
  messageFor,
  onConversation,
  accessTo,
  seeConversation,
} from '../../steps/facts/conversation-access.ts';
import { assignMessage, assignWants } from '../tasks/assignments.ts';

export interface ConversationCommands {
  'channel.create': [z.output<typeof CreateChannel>, { conversation: ConversationRow }];
  'dm.open': [{ memberIds: string[] }, { conversation: ConversationRow }];
  'conversation.edit': [{ conversationId: string; change: z.output<typeof EditConversation> }, { conversation: ConversationRow }];
  'conversation.join': [{ conversationId: string }, { membership: MembershipRow }];
  'conversation.leave': [{ conversationId: string }, void];
  'conversation.add': [
    {
      conversationId: string;
      memberId: string;
      /** The message that called the agent: given to it as a task in the same step. */
      messageId?: string | undefined;
    },
    { membership: MembershipRow },
  ];
  'conversation.remove': [{ conversationId: string; memberId: string }, void];
  'conversation.notify': [{ conversationId: string; level: NotifyLevel }, void];
}

function activeMember(id: string, field: string, set: WorkingSet): MemberRow {
  const member = set.get('members', id);
  if (!member || member.status !== 'active') throw invalidField(field, 'is not an active member');
  return member;
}

const create: Handler<'channel.create'> = {
  locks: (c) => [`name:${foldName(c.name)}`],
  needs: (c) => [wantBy('conversations', 'name', foldName(c.name))],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('channel.create', actor);
    const conversation = newChannel(c, actor, tx);
    if (actor.type === 'member') enter(conversation, actor.id, 'moderator', actor, tx);
    return { conversation };
  },
};

const openDm: Handler<'dm.open'> = {
  locks: (c) => ('memberId' in c.by ? [`dm:${dmKey([c.by.memberId, ...c.memberIds])}`] : []),
  needs: (c) => [
    ...c.memberIds.map((id) => wantRow('members', id)),
    ...('memberId' in c.by ? [wantBy('conversations', 'dm', dmKey([c.by.memberId, ...c.memberIds]))] : []),
  ],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    if (actor.type !== 'member') throw new ParleyError('forbidden', 'The operator is not a member and has no DMs.');
    const others = [...new Set(c.memberIds)].filter((id) => id !== actor.id).map((id) => activeMember(id, 'memberIds', tx));
    if (others.length === 0) throw invalidField('memberIds', 'must be somebody besides you');
    for (const other of others) {
      const acquainted = actor.role === 'guest' && guestShares(actor.id, other.id, tx);
      const relations = relationsToMember(actor, memberFacts(other), { acquainted });
      // The same error as for a member who does not exist, so that nothing is revealed.
      if (!may('member.see', actor, relations).allowed) throw invalidField('memberIds', 'is not an active member');
      require('dm.open', actor, relations);
    }
    const ids = [actor.id, ...others.map((other) => other.id)];
    const [existing] = tx.find('conversations', 'dm', dmKey(ids));
    if (existing) return { conversation: existing };
    return { conversation: newDm(ids, actor, tx) };
  },
};

const edit: Handler<'conversation.edit'> = {
  locks: (c) => [conversationLock(c.conversationId), ...(c.change.name === undefined ? [] : [`name:${foldName(c.change.name)}`])],
  needs: (c) => [...conversationWants(c.conversationId), ...(c.change.composeMs === undefined ? [] : composeWants(c.conversationId))],
  decide: (c, tx) => {
    const { actor, conversation, relations } = seeConversation(c, tx);
    if (conversation.kind !== 'channel') throw invalidField('conversationId', 'is not a channel');
    require('conversation.edit', actor, relations);
    const { archived, name, composeMs, ...plain } = c.change;
    const next: Partial<ConversationRow> = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
    if (archived !== undefined && archived !== (conversation.archived_at !== null)) next.archived_at = archived ? tx.now : null;
    const stillArchived = (next.archived_at === undefined ? conversation.archived_at : next.archived_at) !== null;
    const shownName = name ?? conversation.name!;
    if (name !== undefined) next.name = name;
    // An archived channel gives its name back; taking it out of the archive needs the name to be free again.
    const naming = { name: shownName, visibility: next.visibility ?? conversation.visibility, archived_at: stillArchived ? tx.now : null };
    const isNew = name !== undefined || next.archived_at === null || naming.visibility !== conversation.visibility;
    if (isNew && !stillArchived) mustBeFree(shownName, actor, tx, conversation.id);
    next.name_fold = heldName(naming);
    const changed: string[] = (Object.keys(next) as (keyof ConversationRow)[]).filter((field) => next[field] !== conversation[field]);
    if (composeMs !== undefined && composeMs !== setting<number | null>(composeKey(conversation.id), tx, null)) {
      putSetting(composeKey(conversation.id), composeMs, tx);
      changed.push('compose_ms');
    }
    if (changed.length === 0) return { conversation };
    const edited = tx.update('conversations', conversation, next);
    keepPrivateName(edited, tx, conversation);
    append(tx, {
      type: 'conversation.edited',
      actor,
      conversation_id: conversation.id,
      subject_id: conversation.id,
      scope: conversation.visibility === 'public' || edited.visibility === 'public' ? 'workspace' : 'conversation',
      data: { fields: changed },
    });
    if (edited.archived_at !== null && changed.includes('archived_at')) endWorkIn(edited, tx);
    else if (changed.includes('floor')) endRoundsIn(edited.id, tx);
    return { conversation: edited };
  },
};

const join: Handler<'conversation.join'> = {
  ...onConversation,
  decide: (c, tx) => {
    const { actor, conversation, membership, relations } = seeConversation(c, tx);
    if (membership) return { membership };
    require('conversation.join', actor, relations);
    if (actor.type !== 'member') throw new ParleyError('forbidden');
    if (conversation.archived_at !== null) throw new ParleyError('archived');
    return { membership: enter(conversation, actor.id, 'participant', actor, tx) };
  },
};

const leave: Handler<'conversation.leave'> = {
  ...onConversation,
  decide: (c, tx) => {
    const { actor, conversation, membership, relations } = seeConversation(c, tx);
    if (conversation.kind !== 'channel') throw invalidField('conversationId', 'only channels can be left');
    if (!membership) return;
    require('conversation.leave', actor, relations);
    exit(membership, actor, tx);
  },
};

const add: Handler<'conversation.add'> = {
  locks: (c) => [conversationLock(c.conversationId), ...(c.messageId === undefined ? [] : [agentLock(c.memberId)])],
  needs: (c) => [
    ...conversationWants(c.conversationId),
    wantRow('members', c.memberId),
    ...(c.messageId === undefined ? [] : assignWants(c.messageId, c.memberId)),
  ],
  decide: (c, tx) => {
    const { actor, conversation, relations } = seeConversation(c, tx);
    if (conversation.kind !== 'channel') throw invalidField('conversationId', 'only channels take new members');
    require('conversation.add', actor, relations);
    if (conversation.archived_at !== null) throw new ParleyError('archived');
    const member = activeMember(c.memberId, 'memberId', tx);
    const membership = enter(conversation, member.id, 'participant', actor, tx);
    if (c.messageId !== undefined) deliverCall(c.messageId, conversation.id, member, actor, tx);
    return { membership };
  },
};

/** The message that called the agent, once: bringing it in again gives it nothing new. */
function deliverCall(messageId: string, homeId: string, agent: MemberRow, actor: Actor, tx: Tx): void {
  const message = messageFor(messageId, tx);
  if (accessTo(actor, message.conversation_id, tx).home.id !== homeId) throw new ParleyError('not_found');
  if (tx.find('tasks', 'message', message.id).some((task) => task.agent_id === agent.id)) return;
  assignMessage(actor, message, agent.id, false, tx);
}

const remove: Handler<'conversation.remove'> = {
  locks: (c) => [conversationLock(c.conversationId)],
  needs: (c) => [...conversationWants(c.conversationId), wantRow('members', c.memberId)],
  decide: (c, tx) => {
    const { actor, conversation, relations } = seeConversation(c, tx);
    if (conversation.kind !== 'channel') throw invalidField('conversationId', 'only channels lose members');
    const member = tx.get('members', c.memberId);
    const owned = member ? relationsToMember(actor, memberFacts(member)).filter((r) => r === 'owner') : [];
    // The permission is checked first, so that a caller without it does not learn who exists.
    require('conversation.remove', actor, [...relations, ...owned]);
    if (!member) throw invalidField('memberId', 'is not a member');
    const membership = tx.get('memberships', conversation.id, member.id);
    if (membership) exit(membership, actor, tx);
  },
};

const notify: Handler<'conversation.notify'> = {
  ...onConversation,
  decide: (c, tx) => {
    const { actor, home, membership } = seeConversation(c, tx);
    if (!membership) throw invalidField('conversationId', 'is not one you are in');
    if (membership.notify === c.level) return;
    tx.update('memberships', membership, { notify: c.level });
    append(tx, {
      type: 'notify.set',
      actor,
      scope: 'member',
      conversation_id: home.id,
      member_id: membership.member_id,
      data: { level: c.level },
    });
  },
};

export const conversationHandlers = {
  'channel.create': create,
  'dm.open': openDm,
  'conversation.edit': edit,
  'conversation.join': join,
  'conversation.leave': leave,
  'conversation.add': add,
  'conversation.remove': remove,
  'conversation.notify': notify,
};

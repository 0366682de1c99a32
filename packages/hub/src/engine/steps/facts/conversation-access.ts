// Access to a conversation, and the first message that a member may read: the history cutoff.

import { type Actor, isAgentDm, may, relationsToConversation, type Relation } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { type Want, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MembershipRow, MessageRow } from '../../../store/tables.ts';
import { actorOf, type By, memberFacts, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

export const conversationLock = (id: string): string => `conversation:${id}`;
export const conversationWants = (id: string): Want[] => [wantRow('conversations', id)];
export const onConversation = {
  locks: (c: { conversationId: string }) => [conversationLock(c.conversationId)],
  needs: (c: { conversationId: string }) => conversationWants(c.conversationId),
};

export interface ConversationAccess {
  conversation: ConversationRow;
  /** Where its members are kept and its facts are heard: itself, or a thread's parent. */
  home: ConversationRow;
  membership: MembershipRow | undefined;
  relations: Relation[];
  /** The actor may read nothing before this place in the stream: the channel may show only messages after joining. */
  historyCutoff: number;
}

/** A conversation as this actor stands to it. Unknown and unreadable look the same from outside. */
export function accessTo(actor: Actor, conversationId: string, set: WorkingSet): ConversationAccess {
  const conversation = set.get('conversations', conversationId);
  if (!conversation) throw new ParleyError('not_found');
  const home = conversation.parent_id === null ? conversation : set.get('conversations', conversation.parent_id)!;
  const membership = actor.type !== 'member' ? undefined : set.get('memberships', home.id, actor.id);
  const dmMembers = home.dm_key === null || membership ? [] : home.dm_key.split(',').map((id) => memberFacts(set.get('members', id)!));
  const historyCutoff = home.history === 'all' || actor.type !== 'member' ? 0 : (membership?.joined_seq ?? Number.MAX_SAFE_INTEGER);
  return {
    conversation,
    home,
    membership,
    historyCutoff,
    relations: relationsToConversation(actor, home, membership, isAgentDm(dmMembers) ? dmMembers : []),
  };
}

/** Whether a place in the stream lies before another. One given in this very group has no number yet and comes after all that do. */
export function liesBefore(seq: number, historyCutoff: number): boolean {
  if (seq < 0) return historyCutoff < 0 && seq > historyCutoff;
  return historyCutoff < 0 || seq < historyCutoff;
}

/** To those who may not read it, a conversation and all in it does not exist. */
export function mustSee(actor: Actor, relations: Relation[]): void {
  if (!may('conversation.read', actor, relations).allowed) throw new ParleyError('not_found');
}

/** The conversation that a command names, and who gives the command. */
export function seeConversation(c: { by: By; conversationId: string }, tx: Tx): ConversationAccess & { actor: Actor } {
  const actor = actorOf(c.by, tx, tx.now);
  const access = accessTo(actor, c.conversationId, tx);
  mustSee(actor, access.relations);
  return { actor, ...access };
}

export function messageFor(messageId: string, set: WorkingSet): MessageRow {
  const message = set.get('messages', messageId);
  if (!message) throw new ParleyError('not_found');
  return message;
}

// Steps that several commands take.

import { type Actor, isAgentDm, may, relationsToConversation, type Relation } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { FactData, FactType } from '../../../store/fact-data.ts';
import type { NewFact, Want } from '../../../store/port.ts';
import type { ConversationRow, MembershipRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { type Context, memberFacts, storedActor } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

export const conversationLock = (id: string): string => `conversation:${id}`;
export const agentLock = (id: string): string => `agent:${id}`;
export const conversationWants = (id: string): Want[] => [{ table: 'conversations', values: [id] }];

type DataOf<D> = Partial<D> extends D ? { data?: D | undefined } : { data: D };
/**
 * A fact that is to be appended, with the data that its type calls for. Without an actor it is the platform's own, without a
 * scope nobody hears of it.
 */
export type FactInput = { actor?: Actor; scope?: NewFact['scope'] } & Partial<
  Pick<NewFact, 'conversation_id' | 'member_id' | 'subject_id' | 'chain_id'>
> &
  { [T in FactType]: { type: T } & DataOf<FactData[T]> }[FactType];

/** The columns of a fact about a member or about a task. */
export const aboutMember = (id: string) => ({ member_id: id, subject_id: id });
export const aboutTask = ({ agent_id, id, chain_id }: TaskRow) => ({ member_id: agent_id, subject_id: id, chain_id });
/** Those in the conversation hear of it. */
export const heardIn = (conversationId: string) => ({ scope: 'conversation', conversation_id: conversationId }) as const;

export function append(set: WorkingSet, context: Context, fact: FactInput): number {
  return set.fact({
    at: context.now,
    type: fact.type,
    actor_id: fact.actor ? storedActor(fact.actor) : null,
    scope: fact.scope ?? 'record',
    conversation_id: fact.conversation_id ?? null,
    member_id: fact.member_id ?? null,
    subject_id: fact.subject_id ?? null,
    chain_id: fact.chain_id ?? null,
    data: fact.data ? JSON.stringify(fact.data) : '{}',
  });
}

export interface FactPlace {
  conversation: ConversationRow;
  /** Where its members are kept and its facts are heard: itself, or a thread's parent. */
  home: ConversationRow;
  membership: MembershipRow | undefined;
  relations: Relation[];
  /** Nothing before this place in the stream is there for the actor: the channel may show only what came after joining. */
  historyCutoff: number;
}

/** A conversation as this actor stands to it. Unknown and unreadable look the same from outside. */
export function placeFor(actor: Actor, conversationId: string, set: WorkingSet): FactPlace {
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

export function messageFor(messageId: string, set: WorkingSet): MessageRow {
  const message = set.get('messages', messageId);
  if (!message) throw new ParleyError('not_found');
  return message;
}

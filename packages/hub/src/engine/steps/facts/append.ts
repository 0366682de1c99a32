// Steps that several commands take.

import type { Actor } from '@parley/core';
import type { FactData, FactType, NoticeData } from '../../../store/fact-data.ts';
import { type NewFact, seqOfFact } from '../../../store/port.ts';
import type { TaskRow } from '../../../store/tables.ts';
import { storedActor, type Tx } from '../../command.ts';

export const agentLock = (id: string): string => `agent:${id}`;

type DataOf<D> = Partial<D> extends D ? { data?: D | undefined } : { data: D };
/**
 * A fact that is to be appended, with the data that its type calls for. Without an actor it is the platform's own, without a
 * scope nobody hears of it.
 */
export type FactInput = {
  actor?: Actor;
  scope?: NewFact['scope'];
  /** The fact changes rights, or somebody comes in: the audit log shows it with these details (SYS-11). */
  access?: object | undefined;
} & Partial<Pick<NewFact, 'conversation_id' | 'member_id' | 'subject_id' | 'chain_id'>> &
  { [T in FactType]: { type: T } & DataOf<FactData[T]> }[FactType];

/** The columns of a fact about a member or about a task. */
export const aboutMember = (id: string) => ({ member_id: id, subject_id: id });
export const aboutTask = ({ agent_id, id, chain_id }: Pick<TaskRow, 'agent_id' | 'id' | 'chain_id'>) => ({
  member_id: agent_id,
  subject_id: id,
  chain_id,
});
/** Members of the conversation get the fact. */
export const heardIn = (conversationId: string) => ({ scope: 'conversation', conversation_id: conversationId }) as const;

export function append(tx: Tx, fact: FactInput): number {
  const place = tx.fact({
    at: tx.now,
    type: fact.type,
    actor_id: fact.actor ? storedActor(fact.actor) : null,
    scope: fact.scope ?? 'record',
    conversation_id: fact.conversation_id ?? null,
    member_id: fact.member_id ?? null,
    subject_id: fact.subject_id ?? null,
    chain_id: fact.chain_id ?? null,
    data: fact.data ? JSON.stringify(fact.data) : '{}',
  });
  if (fact.access !== undefined) auditAccess(fact, fact.access, place, tx);
  return place;
}

function auditAccess(fact: FactInput, details: object, place: number, tx: Tx): void {
  tx.insert('audit_entries', {
    id: tx.ids.next('audit'),
    seq: seqOfFact(place),
    kind: 'access',
    actor_id: fact.actor ? storedActor(fact.actor) : null,
    for_id: null,
    name: fact.type,
    target_id: fact.member_id ?? (fact.type === 'member.added' ? (fact.subject_id ?? null) : null),
    subject_id: fact.subject_id ?? null,
    conversation_id: null,
    chain_id: null,
    approver_id: null,
    arguments: JSON.stringify(details),
    outcome: fact.type === 'sign_in.refused' ? 'denied' : 'done',
    at: tx.now,
    ended_at: tx.now,
  });
}

// The platform speaking to one member. A notice is a fact and nothing else: it names things and never repeats what
// somebody wrote.

/** `home`: null where it is about no conversation. */
export function notify(memberId: string, home: string | null, data: NoticeData, tx: Tx, chainId?: string): void {
  append(tx, {
    type: 'notice',
    scope: 'member',
    member_id: memberId,
    conversation_id: home,
    subject_id: data.message ?? data.task ?? data.invocation ?? null,
    chain_id: chainId ?? null,
    data,
  });
}

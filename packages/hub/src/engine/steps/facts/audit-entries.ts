// The audit log (PRV-11). An entry is written with the fact of what it records, so that neither is there without the other.
// Private values never get into it (SYS-6), and its arguments go with the messages and events that they came from.

import { contactArguments, type Hearers, holdsAny, redactInput } from '@parley/core';
import type { AuditOutcome } from '@parley/protocol';
import { operatorMark } from '../../../store/fact-data.ts';
import { seqOfFact, wantBy, wantRow } from '../../../store/port.ts';
import type { ApprovalRow, AuditRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { append } from './append.ts';
import { egressIn, valueOf } from './tagged-values.ts';

export interface NewAuditEntry {
  id: string;
  kind: AuditRow['kind'];
  /** A member, the operator's mark, or null for the platform. */
  actorId: string | null;
  /** The member whose request or trigger it was. */
  forId: string | null;
  name: string;
  targetId?: string | null;
  subjectId: string;
  conversationId?: string | null;
  chainId: string | null;
  approverId?: string | null;
  input: unknown;
  outcome: AuditOutcome;
}

/** The fact of an entry carries this, so that `verify` notices a missing entry. */
export const auditedFact = { audited: true } as const;

/** `fact`: as it was appended. */
export const putAudit = (entry: NewAuditEntry, fact: number, tx: Tx): void => putAuditAt(entry, seqOfFact(fact), tx);

export function putAuditAt(entry: NewAuditEntry, seq: number, tx: Tx): void {
  tx.insert('audit_entries', {
    id: entry.id,
    seq,
    kind: entry.kind,
    actor_id: entry.actorId,
    for_id: entry.forId,
    name: entry.name,
    target_id: entry.targetId ?? null,
    subject_id: entry.subjectId,
    conversation_id: entry.conversationId ?? null,
    chain_id: entry.chainId,
    approver_id: entry.approverId ?? null,
    arguments: JSON.stringify(withoutPrivate(entry, tx) ?? {}),
    outcome: entry.outcome,
    at: tx.now,
    ended_at: entry.outcome === 'started' ? null : tx.now,
  });
}

/** Owners and admins read it: whatever is not for everybody is left out. */
function withoutPrivate({ name, input, chainId }: NewAuditEntry, set: WorkingSet): unknown {
  const visibleInput = name === 'contact_agent' ? contactArguments(input) : input;
  return chainId === null ? visibleInput : redactedFor({ recipients: [], anyone: true }, visibleInput, chainId, set);
}

/** The arguments of a call as far as these hearers may read them (SYS-6). */
export function redactedFor(hearers: Hearers, input: unknown, chainId: string, set: WorkingSet): unknown {
  const tags = set.find('tags', 'chain', chainId);
  const values = tags.filter((tag) => !egressIn([valueOf(tag)], hearers, set).ok).flatMap(({ held }) => JSON.parse(held) as string[]);
  return values.length === 0 ? input : redactInput(input, (text) => holdsAny(text, values));
}

/** A call has ended; nothing, where it is not in the log. */
export function endAudit(id: string, outcome: AuditOutcome, tx: Tx): void {
  const row = tx.get('audit_entries', id);
  if (row) tx.update('audit_entries', row, { outcome, ended_at: tx.now });
}

export const auditWant = (id: string) => wantRow('audit_entries', id);
export const auditChainWant = (chainId: string) => wantBy('audit_entries', 'chain', chainId);

const erased = '';
export const isErased = ({ arguments: text }: AuditRow): boolean => text === erased;

function eraseArguments(rows: readonly AuditRow[], set: WorkingSet): void {
  for (const row of rows) if (!isErased(row)) set.update('audit_entries', row, { arguments: erased });
}

/** The arguments of this chain's calls are erased; the record that they were made stays. */
export const eraseAuditArguments = (chainId: string, set: WorkingSet): void =>
  eraseArguments(set.find('audit_entries', 'chain', chainId), set);

export const accessWant = (memberId: string) => wantBy('audit_entries', 'about', 'access', memberId);

/** Handles of an erased person are in the changes of their access; that something changed stays. */
export const eraseAccessDetails = (memberId: string, set: WorkingSet): void =>
  eraseArguments(set.find('audit_entries', 'about', 'access', memberId), set);

/** The approver; null: nobody was asked. A checkpoint that the operator closed names nobody. */
export function approverIn(approval: Pick<ApprovalRow, 'id'> | undefined, set: WorkingSet): string | null {
  const checkpoint = approval && set.get('checkpoints', approval.id);
  return checkpoint === undefined ? null : (checkpoint.closed_by ?? operatorMark);
}

interface Answered {
  row: ApprovalRow;
  chainId: string;
  conversationId: string | null;
}

/** The entry has the checkpoint's id, as one checkpoint is answered once. */
const answerEntry = ({ row, chainId, conversationId }: Answered, set: WorkingSet) => ({
  id: row.id,
  kind: 'approval' as const,
  forId: set.get('chains', chainId)?.requester_id ?? null,
  name: row.name,
  targetId: row.agent_id,
  subjectId: row.task_id,
  conversationId,
  chainId,
  input: JSON.parse(row.input) as unknown,
});

export function auditAnswer(answered: Answered & { actorId: string | null; outcome: AuditOutcome }, fact: number, tx: Tx): void {
  const { actorId, outcome } = answered;
  putAudit({ ...answerEntry(answered, tx), actorId, approverId: actorId, outcome }, fact, tx);
}

/** The approval expired. */
export function auditExpiry(answered: Answered, tx: Tx): void {
  const { row, chainId } = answered;
  const about = { member_id: row.agent_id, subject_id: row.id, chain_id: chainId };
  const fact = append(tx, { type: 'approval.expired', ...about, data: auditedFact });
  putAudit({ ...answerEntry(answered, tx), actorId: null, outcome: 'expired' }, fact, tx);
}

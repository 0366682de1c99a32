// Somebody is held up until somebody else has answered (C2A-31), as rows: declared with a message, returned by a timer,
// raised, settled. Core decides what each event does to one; here it is written down and carried out.

import {
  ladderAbove,
  type Ladder,
  newObligation,
  type ObligationFacts,
  type ObligationEffect,
  type ObligationEvent,
  type Signal,
  stepObligation,
  type Utterance,
} from '@parley/core';
import { type DeclareObligation, ParleyError, foldHandle } from '@parley/protocol';
import { seqOfFact, wantBy, wantRow } from '../../../store/port.ts';
import type { ObligationRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import { invalidField, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { aboveIn } from '../people/managers.ts';
import { addObligation, inboxLock, takeOut } from '../facts/checkpoints.ts';
import { knock, withdrawKnock } from '../attention/knocks.ts';
import { append } from '../facts/append.ts';
import { homesOf } from '../tasks/chains.ts';
import { gatherTasks, homeOf } from '../tasks/tasks.ts';
import { setTimer } from '../facts/timers.ts';
import type { IncomingMessage, MessageReading } from '../conversations/incoming-message.ts';
import { type NamedMembers, namedIn } from '../conversations/addressable-members.ts';

export const obligationLock = (id: string): string => `obligation:${id}`;

export interface NewObligation {
  declared: DeclareObligation;
  authorId: string;
  recipientId: string;
  message: MessageRow;
  taskId: string | null;
}

export function oblige({ declared, authorId, recipientId, message, taskId }: NewObligation, tx: Tx): void {
  const { delegateId = null, intervalMs = tx.limits.obligations.intervalMs } = declared;
  if (recipientId === authorId) throw invalidField('obligation', 'is owed by somebody else');
  // The words that come with it are for those who are there.
  const joined = delegateId === null || tx.get('memberships', homeOf(message.conversation_id, tx).id, delegateId) !== undefined;
  if (delegateId !== null && (!joined || tx.get('members', delegateId)?.status !== 'active'))
    throw invalidField('obligation.delegateId', 'is not an active member of this conversation');
  const { blocks, defaultAction: default_action } = declared;
  const where = { conversation_id: message.conversation_id, message_id: message.id, task_id: taskId };
  const obligation = newObligation({ authorId, delegateId, recipientId, intervalMs }, tx.now);
  open(obligation, { ...where, blocks, default_action, reciprocal_of: null }, tx);
}

type Given = Pick<ObligationRow, 'conversation_id' | 'message_id' | 'task_id' | 'blocks' | 'default_action' | 'reciprocal_of'>;

function open(obligation: ObligationFacts, details: Given, tx: Tx): ObligationRow {
  const id = tx.ids.next('obligation');
  const row: ObligationRow = {
    id,
    seq: seqOfFact(record('obligation.opened', id, obligation.holderId, details, tx)),
    recipient_id: obligation.holderId,
    created_at: obligation.createdAt,
    author_id: obligation.authorId,
    delegate_id: obligation.delegateId,
    interval_ms: obligation.intervalMs,
    discharged_at: null,
    discharged_by: null,
    ...columns(obligation),
    ...details,
  };
  tx.insert('obligations', row);
  setTimer('obligation.due', id, 'wall', row.next_at, tx, true);
  notifyParties(row, tx);
  return row;
}

/** People who have a part in it see it come, change and go while they look. Agents ask. */
function notifyParties({ id, author_id, delegate_id, recipient_id, holder_id }: ObligationRow, tx: Tx): void {
  for (const memberId of new Set([author_id, delegate_id, recipient_id, holder_id]))
    if (memberId !== null && tx.get('members', memberId)?.kind === 'human')
      append(tx, { type: 'obligation.changed', scope: 'member', member_id: memberId, subject_id: id });
}

function record(
  type: `obligation.${'opened' | 'returned' | 'raised' | 'discharged'}`,
  id: string,
  memberId: string,
  at: Pick<Given, 'conversation_id'>,
  tx: Tx,
): number {
  return append(tx, { type, member_id: memberId, conversation_id: homeOf(at.conversation_id, tx).id, subject_id: id });
}

const columns = (of: ObligationFacts): Pick<ObligationRow, 'holder_id' | 'level' | 'returns' | 'extended' | 'next_at' | 'open'> => ({
  holder_id: of.holderId,
  level: of.level,
  returns: of.returns,
  extended: of.extended ? 1 : 0,
  next_at: of.nextAt,
  open: of.open ? 1 : 0,
});

const asObligation = (row: ObligationRow, set: WorkingSet): ObligationFacts => ({
  authorId: row.author_id,
  delegateId: row.delegate_id,
  holderId: row.holder_id,
  level: row.level,
  intervalMs: row.interval_ms,
  createdAt: row.created_at,
  returns: row.returns,
  extended: row.extended === 1,
  nextAt: row.next_at,
  isBack: row.reciprocal_of !== null,
  asksBack: set.find('obligations', 'reciprocal', row.id).some(({ open: isOpen }) => isOpen === 1),
  open: row.open === 1,
});

function ladderOf(row: ObligationRow, set: WorkingSet): Ladder {
  const parentConversation = aboveIn(homeOf(row.conversation_id, set).id, set);
  // An agent that waits itself cannot help: it would be woken by its own words.
  return ladderAbove(row.recipient_id, { ...parentConversation, canAct: (id) => id !== row.author_id && parentConversation.canAct(id) });
}

const refusals = {
  not_yours: 'Only the member who waits, or their delegate, can settle it.',
  settled: 'It is settled already.',
  not_the_holder: 'It is not waiting for you now.',
} as const;

/** Applies one event to the obligation. */
export function stepRow(row: ObligationRow, event: ObligationEvent, tx: Tx): ObligationRow {
  const ladder = event.type === 'discharge' ? [] : ladderOf(row, tx);
  const stepped = stepObligation(asObligation(row, tx), event, ladder, tx.limits.obligations);
  if (!stepped.ok) throw new ParleyError('forbidden', refusals[stepped.reason], { reason: `obligation:${stepped.reason}` });
  const next = tx.update('obligations', row, columns(stepped.obligation));
  if (row.open === 1) {
    setTimer('obligation.due', row.id, 'wall', next.next_at, tx);
    notifyParties(next, tx);
  }
  for (const effect of stepped.effects) carryOut(effect, next, tx);
  return next;
}

function carryOut(effect: ObligationEffect, row: ObligationRow, tx: Tx): void {
  switch (effect.kind) {
    case 'knock':
      record('obligation.returned', row.id, effect.to, row, tx);
      return knock(effect.to, row, tx);
    case 'checkpoint': {
      record('obligation.raised', row.id, effect.to, row, tx);
      const where = { conversationId: row.conversation_id, messageId: row.message_id, subjectId: row.id };
      return addObligation(effect.to, { kind: 'obligation', for: effect.to, ...where, data: { obligations: [row.id] } }, row.id, tx);
    }
    case 'open_back': {
      const { conversation_id, message_id, task_id, interval_ms } = row;
      const request = { authorId: row.holder_id, delegateId: null, recipientId: effect.from, intervalMs: interval_ms, isBack: true };
      const details = { conversation_id, message_id, task_id, blocks: 'degraded', default_action: '', reciprocal_of: row.id } as const;
      const back = open(newObligation(request, tx.now), details, tx);
      // The member waits for an answer, and does not know yet that somebody waits for theirs.
      return knock(effect.from, back, tx);
    }
  }
}

/** The obligation's time has come again. */
export function returnObligation(id: string, tx: Tx): void {
  tx.lock(obligationLock(id));
  const row = tx.get('obligations', id);
  if (row?.open === 1) stepRow(row, { type: 'due', now: tx.now }, tx);
}

/** The present holder says how it stands, by a signal on the message. Others' signals say nothing here: false. */
export function signalObligations(messageId: string, by: string, signal: Signal, tx: Tx): boolean {
  const all = tx.find('obligations', 'message', messageId);
  tx.lock(...all.map((row) => obligationLock(row.id)));
  const owed = all.filter((row) => row.open === 1 && row.holder_id === by);
  for (const row of owed) stepRow(row, { type: 'signal', by, signal, now: tx.now }, tx);
  return owed.length > 0;
}

export function dischargeRow(row: ObligationRow, by: string, tx: Tx): ObligationRow {
  const now = { type: 'discharge', by, now: tx.now } as const;
  if (row.open === 0) return stepRow(row, now, tx);
  stepRow(row, now, tx);
  return settle(row.id, by, tx);
}

/** The obligation is over: nobody is reminded any more, and the question that was asked back for it needs no answer. */
function settle(id: string, by: string | null, tx: Tx): ObligationRow {
  const discharge = { open: 0, next_at: null, discharged_at: tx.now, discharged_by: by } as const;
  const row = tx.update('obligations', tx.get('obligations', id)!, discharge);
  setTimer('obligation.due', id, 'wall', null, tx);
  record('obligation.discharged', id, row.author_id, row, tx);
  notifyParties(row, tx);
  if (tx.get('members', row.holder_id)?.kind === 'human') takeOut(row.holder_id, id, tx);
  withdrawKnock(row, tx);
  for (const back of tx.find('obligations', 'reciprocal', id)) {
    tx.lock(obligationLock(back.id));
    if (back.open === 1) settle(back.id, by, tx);
  }
  if (row.reciprocal_of !== null) {
    tx.lock(obligationLock(row.reciprocal_of));
    const original = tx.get('obligations', row.reciprocal_of)!;
    if (original.open === 1) stepRow(original, { type: 'answered_back', now: tx.now }, tx);
  }
  return row;
}

/** All that forgetting these needs, asked for at once. */
export const gatherObligations = (messageIds: readonly string[], tx: Tx): void =>
  gatherRows(tx.each(messageIds, (id) => tx.find('obligations', 'message', id)).flat(), tx);

/** Loads the rows for settling or moving these obligations in one round trip, instead of one for each. */
function gatherRows(rows: readonly ObligationRow[], tx: Tx): void {
  if (rows.length === 0) return;
  tx.lock(...rows.flatMap((row) => [obligationLock(row.id), inboxLock(row.holder_id)]));
  tx.need(
    rows.flatMap((row) => [
      wantBy('timers', 'subject', 'obligation.due', row.id),
      ...[row.holder_id, row.author_id, row.delegate_id].flatMap((id) => (id === null ? [] : [wantRow('members', id)])),
      wantRow('conversations', row.conversation_id),
      wantBy('checkpoints', 'member', row.holder_id, 1),
      wantBy('obligations', 'reciprocal', row.id),
      wantBy('obligations', 'holder', row.holder_id, 1),
      wantBy('tasks', 'message', row.message_id),
      wantBy('tasks', 'agent', row.holder_id, 1),
    ]),
  );
  homesOf(rows, tx);
  const relatedTasks = rows.flatMap((row) => [
    ...tx.find('tasks', 'message', row.message_id),
    ...tx.find('tasks', 'agent', row.holder_id, 1),
  ]);
  const knocks = [...new Set(relatedTasks)].filter((task) => task.open === 1 && task.addressed_by === 'obligation');
  gatherTasks(knocks, tx);
}

/** The question is gone: nobody can answer it, and its author's plan goes with their words. */
export function forgetObligations(messageId: string, tx: Tx): void {
  for (const row of tx.find('obligations', 'message', messageId)) {
    tx.lock(obligationLock(row.id));
    const bare = tx.update('obligations', tx.get('obligations', row.id)!, { default_action: '' });
    if (bare.open === 1) settle(row.id, null, tx);
  }
}

/** Nobody is left who could settle these obligations, so they end. */
export function endWaitsOf(memberId: string, tx: Tx): void {
  const rows = (['author', 'delegate'] as const).flatMap((side) => tx.find('obligations', side, memberId, 1));
  gatherRows(rows, tx);
  for (const { id, author_id, delegate_id } of rows) {
    tx.lock(obligationLock(id));
    const others = [author_id, delegate_id].filter((one) => one !== null && one !== memberId);
    if (others.some((one) => tx.get('members', one!)?.status === 'active')) continue;
    if (tx.get('obligations', id)!.open === 1) settle(id, null, tx);
  }
}

/** Obligations that had come up to a leaving person go to their heir (SYS-14). */
export function handOverOwed(memberId: string, heirId: string, tx: Tx): void {
  // Not what they owe themselves: that goes up in its time.
  const raised = tx.find('obligations', 'holder', memberId, 1).filter(({ level }) => level > 0);
  gatherRows(raised, tx);
  for (const { id } of raised) {
    const row = tx.update('obligations', tx.get('obligations', id)!, { holder_id: heirId });
    takeOut(memberId, id, tx);
    carryOut({ kind: 'checkpoint', to: heirId }, row, tx);
  }
}

// The member who owes an answer that somebody waits for: one member, or nobody knows whose turn it is.

const onlyId = (ids: readonly string[]): string => {
  const [id, other] = new Set(ids);
  if (id === undefined || other !== undefined) throw invalidField('obligation', 'needs a message that addresses exactly one member');
  return id;
};

function named({ addresses, present }: NamedMembers): string[] {
  // A call to many has no addressee to wait for; a name that nobody has is text.
  if (addresses.some(({ kind }) => kind !== 'agent' && kind !== 'human' && kind !== 'unknown')) onlyId([]);
  return addresses.flatMap(({ kind, handle }) => (kind === 'unknown' ? [] : (present.get(foldHandle(handle))?.id ?? [])));
}

/**
 * The addressee of a person’s message: the member it names, else the other side of a DM, else the agent whose task it goes
 * on with, else the author it replies to.
 */
export function addresseeOf({ named: names, called }: MessageReading, { home, author, replyTo }: IncomingMessage): string {
  const byName = named(names);
  if (byName.length > 0) return onlyId(byName);
  const others = home.dm_key?.split(',').filter((id) => id !== author.id);
  if (others?.length === 1) return others[0]!;
  const woken = called.filter(({ verdict }) => verdict.task).map(({ agent }) => agent.id);
  return onlyId(woken.length > 0 || !replyTo || replyTo.author_id === null ? woken : [replyTo.author_id]);
}

/** The addressee of an agent’s words in a task: its requester answers a question, the named member answers progress. */
export function askedBy(kind: Utterance, task: TaskRow, message: MessageRow, set: WorkingSet): string {
  if (kind === 'answer') throw invalidField('obligation', 'an answer is the last word: nobody waits after it');
  const byName = kind === 'question' ? [] : named(namedIn(message.body!, homeOf(message.conversation_id, set), set));
  return onlyId(byName.length > 0 || task.requester_id === null ? byName : [task.requester_id]);
}

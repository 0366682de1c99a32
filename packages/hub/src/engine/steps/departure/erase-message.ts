// Erases a message. The words and files go; the record that there was a message stays.

import { isOpen } from '@parley/core';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { MessageRow, TurnRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { removeUpload, uploadsLock } from '../people/upload-quota.ts';
import type { WorkingSet } from '../../working-set.ts';
import { forgetAnswered, forgetAsked, gatherAnswered } from '../answers/approval-answers.ts';
import { forgetObligations, gatherObligations } from '../obligations/obligations.ts';
import { append } from '../facts/append.ts';
import { addEffect } from '../../outbox.ts';
import { changeRound } from '../offers/offer-rounds.ts';
import { tasksOn } from '../tasks/task-access.ts';
import { endTask, gatherWhole, homeOf } from '../tasks/tasks.ts';
import { setTimer } from '../facts/timers.ts';
import { forgetSteps } from '../budget/turn-budget.ts';

const scrubAfterMs = 10_000;

const filesOf = (message: MessageRow): string[] => JSON.parse(message.attachments) as string[];

/** All that erasing these needs, asked for at once: each task and each file would cost a round of its own otherwise. */
export function gatherErasure(messages: readonly MessageRow[], attachmentIds: readonly string[], tx: Tx): void {
  const files = [...messages.flatMap(filesOf), ...attachmentIds];
  tx.need([
    ...messages.flatMap(({ id, conversation_id }) => [
      wantRow('conversations', conversation_id),
      wantBy('message_versions', 'message', id),
      wantBy('tasks', 'message', id),
      wantBy('obligations', 'message', id),
      wantRow('rounds', id),
      wantBy('task_words', 'message', id),
    ]),
    ...files.map((id) => wantRow('attachments', id)),
  ]);
  tx.each(messages, ({ id }) => postedCopies(id, tx).map((copy) => tx.get('messages', copy)));
  const attachments = files.flatMap((id) => tx.get('attachments', id) ?? []).filter(({ erased_at }) => erased_at === null);
  tx.lock(...attachments.map(({ sha256 }) => blobLock(sha256)));
  tx.each(attachments, ({ sha256 }) => tx.find('attachments', 'blob', sha256));
  tx.need(messages.flatMap(({ id }) => tx.find('task_words', 'message', id)).map(({ task_id }) => wantBy('approvals', 'whole', task_id)));
  const ids = messages.map(({ id }) => id);
  tx.each(interruptedTurns(ids, tx), ({ id }) => tx.find('journal', 'turn', id));
  gatherAnswered(ids, tx);
  gatherCallsNear(messages, tx);
  gatherObligations(ids, tx);
  const open = messages.flatMap(({ id }) => openOn(id, tx));
  gatherWhole(open, tx);
}

const blobLock = (sha256: string): string => `blob:${sha256}`;
const openOn = (messageId: string, set: WorkingSet) => set.find('tasks', 'message', messageId).filter((task) => isOpen(task.state));

/** Tasks of which it is the last word. */
const lastWordsOf = (messageId: string, set: WorkingSet): string[] =>
  set
    .find('task_words', 'message', messageId)
    .filter(({ kind }) => kind === 'answer' || kind === 'decline')
    .map(({ task_id }) => task_id);

/** The result of a delegation is posted again where it was requested (IAC-6): with one message the other goes. */
const postedCopies = (messageId: string, set: WorkingSet): string[] =>
  set.each(lastWordsOf(messageId, set), (taskId) => set.get('contacts', taskId)?.result_id ?? []).flat();

function eraseCopies(messageId: string, tx: Tx): void {
  for (const id of postedCopies(messageId, tx)) {
    const message = tx.get('messages', id);
    if (!message || message.deleted_at !== null) continue;
    eraseMessage(message, null, tx);
    const conversation_id = homeOf(message.conversation_id, tx).id;
    append(tx, { type: 'message.deleted', scope: 'conversation', conversation_id, subject_id: id });
  }
}

/** The words go, in every version; that something was said here stays. */
export function eraseMessage(message: MessageRow, by: string | null, tx: Tx): MessageRow {
  gatherErasure([message], [], tx);
  for (const version of tx.find('message_versions', 'message', message.id)) tx.remove('message_versions', version);
  for (const id of filesOf(message)) eraseAttachment(id, tx);
  scrubLater(tx);
  forgetRead(message.id, tx);
  forgetCalls(tasksNear(message, tx), tx);
  forgetObligations(message.id, tx);
  changeRound(message.id, undefined, tx);
  eraseCopies(message.id, tx);
  forgetAsked(message.id, tx);
  // The row is read again, because ending another of these tasks may have ended this one.
  for (const { id } of openOn(message.id, tx)) endTask(tx.get('tasks', id)!, { state: 'cancelled', cause: 'request_deleted', by }, tx);
  forgetAnswered(message.id, tx);
  return tx.update('messages', message, { body: null, attachments: '[]', deleted_at: tx.now });
}

/** Reads of turns under way may hold the words; a turn that continues reads again instead. */
function forgetRead(messageId: string, set: WorkingSet): void {
  const turns = [...set.find('turns', 'state', 'running'), ...interruptedTurns([messageId], set)];
  for (const step of set.each(turns, ({ id }) => set.find('journal', 'turn', id)).flat())
    // A contact is found again by its key, which leads to the copy of its answer.
    if ((step.read_only === 1 || step.name === 'contact_agent') && step.result !== null) set.update('journal', step, { result: null });
}

/** Turns that were taken away after words to the requester: the next turn goes by their journals. */
function interruptedTurns(messageIds: readonly string[], set: WorkingSet): TurnRow[] {
  const taskWords = messageIds.flatMap((id) => set.find('task_words', 'message', id));
  const parentIds = set.each(taskWords, ({ task_id }) => set.get('tasks', task_id)?.parent_id ?? []).flat();
  return set.each(new Set(parentIds), (id) => set.find('turns', 'task', id, 'interrupted')).flat();
}

/** The file itself is taken from the disk after the commit, unless another upload has the same content. */
export function eraseAttachment(id: string, tx: Tx): void {
  const attachment = tx.get('attachments', id);
  if (!attachment || attachment.erased_at !== null) return;
  tx.lock(blobLock(attachment.sha256), uploadsLock(attachment.uploaded_by));
  const others = tx.find('attachments', 'blob', attachment.sha256).filter((other) => other.id !== id && other.erased_at === null);
  removeUpload(attachment, tx);
  tx.update('attachments', attachment, { name: 'erased', media_type: 'erased', erased_at: tx.now });
  append(tx, { type: 'attachment.erased', member_id: attachment.uploaded_by, subject_id: id });
  if (others.length > 0) return;
  addEffect('blob.erase', { sha256: attachment.sha256 }, tx);
}

/**
 * The database's log still holds the words. A timer empties the log a moment later, once for everything that is erased
 * meanwhile.
 */
export function scrubLater(tx: Tx): void {
  if (tx.find('timers', 'subject', 'store.scrub', 'log').length > 0) return;
  setTimer('store.scrub', 'log', 'wall', tx.now + scrubAfterMs, tx);
}

// The calls of earlier turns, which an open task keeps for its next turn (IAC-6): forgotten where words that stand in them are deleted.

/** Open tasks whose calls may hold its words: those of its chains, and those of the agent that wrote it. */
function tasksNear({ id, author_id }: MessageRow, set: WorkingSet): TaskRow[] {
  const chains = new Set(tasksOn(id, set).map(({ chain_id }) => chain_id));
  set.need([
    ...[...chains].map((chainId) => wantBy('tasks', 'chain', chainId, 1)),
    ...(author_id === null ? [] : [wantBy('tasks', 'agent', author_id, 1)]),
  ]);
  const own = author_id === null ? [] : set.find('tasks', 'agent', author_id, 1);
  return [...new Set([...[...chains].flatMap((chainId) => set.find('tasks', 'chain', chainId, 1)), ...own])];
}

/** All that forgetting the calls near many messages needs, asked for at once. */
function gatherCallsNear(messages: readonly MessageRow[], set: WorkingSet): void {
  gatherCalls(set.each(messages, (message) => tasksNear(message, set)).flat(), set);
}

function gatherCalls(tasks: readonly TaskRow[], set: WorkingSet): void {
  set.need(tasks.flatMap(({ id }) => [wantBy('turns', 'task', id, 'done'), wantRow('forgotten_calls', id)]));
  const turns = tasks.flatMap(({ id }) => set.find('turns', 'task', id, 'done'));
  set.each(turns, (turn) => set.find('journal', 'turn', turn.id));
}

/** Turns under way still need their own steps; the mark keeps those from the turns after them. */
export function forgetCalls(tasks: readonly TaskRow[], tx: Tx): void {
  gatherCalls(tasks, tx);
  for (const { id } of tasks) {
    for (const turn of tx.find('turns', 'task', id, 'done')) forgetSteps(turn, tx);
    tx.put('forgotten_calls', { task_id: id, at: tx.now });
  }
}

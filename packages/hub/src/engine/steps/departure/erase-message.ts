// Erasing what was said. The words and files go; that something was said stays.

import { isOpen } from '@parley/core';
import { type Want, wantBy } from '../../../store/port.ts';
import type { MessageRow, TurnRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import { removeUpload, uploadsLock } from '../people/upload-quota.ts';
import type { WorkingSet } from '../../working-set.ts';
import { forgetAnswered, forgetAsked, gatherAnswered } from '../answers/answer-approval.ts';
import { forgetCallsNear, gatherCallsNear } from '../tasks/call-records.ts';
import { forgetObligations, gatherObligations } from '../obligations/obligations.ts';
import { append } from '../facts/append.ts';
import { addEffect } from '../facts/effects.ts';
import { changeRound } from '../offers/offer-rounds.ts';
import { endTask, gatherWhole, homeOf } from '../tasks/tasks.ts';
import { setTimer } from '../facts/timers.ts';

const scrubAfterMs = 10_000;

const filesOf = (message: MessageRow): string[] => JSON.parse(message.attachments) as string[];

/** All that erasing these needs, asked for at once: each task and each file would cost a round of its own otherwise. */
export function gatherErasure(messages: readonly MessageRow[], attachmentIds: readonly string[], set: WorkingSet, context: Context): void {
  const files = [...messages.flatMap(filesOf), ...attachmentIds];
  set.need([
    ...messages.flatMap(({ id, conversation_id }) => [
      { table: 'conversations' as const, values: [conversation_id] },
      wantBy('message_versions', 'message', id),
      wantBy('tasks', 'message', id),
      wantBy('obligations', 'message', id),
      { table: 'rounds' as const, values: [id] },
      wantBy('task_words', 'message', id),
    ]),
    ...files.map((id) => ({ table: 'attachments' as const, values: [id] })),
  ]);
  set.need(messages.flatMap(({ id }) => lastWordsOf(id, set)).map((taskId) => ({ table: 'contacts', values: [taskId] })));
  set.need(messages.flatMap(({ id }) => toldAbove(id, set)).map((id) => ({ table: 'messages', values: [id] })));
  const kept = files.flatMap((id) => set.get('attachments', id) ?? []).filter(({ erased_at }) => erased_at === null);
  context.lock(...kept.map(({ sha256 }) => blobLock(sha256)));
  set.need(kept.map(({ sha256 }) => wantBy('attachments', 'blob', sha256)));
  set.need(messages.flatMap(({ id }) => set.find('task_words', 'message', id)).map(({ task_id }) => wantBy('approvals', 'whole', task_id)));
  const ids = messages.map(({ id }) => id);
  set.need(toldInterrupted(ids, set).map(journalWant));
  gatherAnswered(ids, set);
  gatherCallsNear(messages, set);
  gatherObligations(ids, set, context);
  gatherWhole(
    messages.flatMap(({ id }) => openOn(id, set)),
    set,
    context,
  );
}

const journalWant = ({ id }: TurnRow): Want => wantBy('journal', 'turn', id);
const blobLock = (sha256: string): string => `blob:${sha256}`;
const openOn = (messageId: string, set: WorkingSet) => set.find('tasks', 'message', messageId).filter((task) => isOpen(task.state));

/** Tasks of which it is the last word. */
const lastWordsOf = (messageId: string, set: WorkingSet): string[] =>
  set
    .find('task_words', 'message', messageId)
    .filter(({ kind }) => kind === 'answer' || kind === 'decline')
    .map(({ task_id }) => task_id);

/** The result of a delegation is posted again where it was requested (IAC-6): with one message the other goes. */
const toldAbove = (messageId: string, set: WorkingSet): string[] =>
  lastWordsOf(messageId, set).flatMap((taskId) => set.get('contacts', taskId)?.result_id ?? []);

function eraseTold(messageId: string, set: WorkingSet, context: Context): void {
  for (const id of toldAbove(messageId, set)) {
    const told = set.get('messages', id);
    if (!told || told.deleted_at !== null) continue;
    eraseMessage(told, null, set, context);
    const conversation_id = homeOf(told.conversation_id, set).id;
    append(set, context, { type: 'message.deleted', scope: 'conversation', conversation_id, subject_id: id });
  }
}

/** The words go, in every version; that something was said here stays. */
export function eraseMessage(message: MessageRow, by: string | null, set: WorkingSet, context: Context): MessageRow {
  gatherErasure([message], [], set, context);
  for (const version of set.find('message_versions', 'message', message.id)) set.remove('message_versions', version);
  for (const id of filesOf(message)) eraseAttachment(id, set, context);
  scrubLater(set, context);
  forgetRead(message.id, set);
  forgetCallsNear(message, set, context);
  forgetObligations(message.id, set, context);
  changeRound(message.id, undefined, set, context);
  eraseTold(message.id, set, context);
  forgetAsked(message.id, set, context);
  // As it is now: one that hangs on another of them has ended with it.
  for (const { id } of openOn(message.id, set)) endTask(set.get('tasks', id)!, 'cancelled', 'request_deleted', set, context, { by });
  forgetAnswered(message.id, set, context);
  return set.update('messages', message, { body: null, attachments: '[]', deleted_at: context.now });
}

/** Reads of turns under way may hold the words; a turn that continues reads again instead. */
function forgetRead(messageId: string, set: WorkingSet): void {
  const turns = [...set.find('turns', 'state', 'running'), ...toldInterrupted([messageId], set)];
  set.need(turns.map(journalWant));
  for (const turn of turns)
    for (const step of set.find('journal', 'turn', turn.id))
      // A contact is found again by its key, and so is what is left of its answer.
      if ((step.read_only === 1 || step.name === 'contact_agent') && step.result !== null) set.update('journal', step, { result: null });
}

/** Said to the requester, in a turn that was taken away since: the next one goes by what that did. */
function toldInterrupted(messageIds: readonly string[], set: WorkingSet): TurnRow[] {
  const said = messageIds.flatMap((id) => set.find('task_words', 'message', id));
  set.need(said.map(({ task_id }) => ({ table: 'tasks', values: [task_id] })));
  const above = [...new Set(said.flatMap(({ task_id }) => set.get('tasks', task_id)?.parent_id ?? []))];
  set.need(above.map((id) => wantBy('turns', 'task', id, 'interrupted')));
  return above.flatMap((id) => set.find('turns', 'task', id, 'interrupted'));
}

/** The file itself is taken from the disk after the commit, unless another upload has the same content. */
export function eraseAttachment(id: string, set: WorkingSet, context: Context): void {
  const attachment = set.get('attachments', id);
  if (!attachment || attachment.erased_at !== null) return;
  context.lock(blobLock(attachment.sha256), uploadsLock(attachment.uploaded_by));
  const others = set.find('attachments', 'blob', attachment.sha256).filter((other) => other.id !== id && other.erased_at === null);
  removeUpload(attachment, set);
  set.update('attachments', attachment, { name: 'erased', media_type: 'erased', erased_at: context.now });
  append(set, context, { type: 'attachment.erased', member_id: attachment.uploaded_by, subject_id: id });
  if (others.length > 0) return;
  addEffect('blob.erase', { sha256: attachment.sha256 }, set, context);
}

/** The database's log still holds the words. It is emptied a moment later, once for all that is erased meanwhile. */
export function scrubLater(set: WorkingSet, context: Context): void {
  if (set.find('timers', 'subject', 'store.scrub', 'log').length > 0) return;
  setTimer('store.scrub', 'log', 'wall', context.now + scrubAfterMs, set, context);
}

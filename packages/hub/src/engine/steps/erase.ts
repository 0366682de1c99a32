// Erasing what was said. The words and files go; that something was said stays.

import { isOpen } from '@parley/core';
import type { MessageRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { forgetAsked } from './approve.ts';
import { forgetObligations, gatherObligations } from './obligations.ts';
import { append } from './place.ts';
import { changeRound } from './rounds.ts';
import { endTask, gatherWhole } from './tasks.ts';
import { setTimer } from './timers.ts';

const scrubAfterMs = 60_000;

const filesOf = (message: MessageRow): string[] => JSON.parse(message.attachments) as string[];

/** All that erasing these needs, asked for at once: each task and each file would cost a round of its own otherwise. */
export function gatherErasure(messages: readonly MessageRow[], attachmentIds: readonly string[], set: WorkingSet, context: Context): void {
  const files = [...messages.flatMap(filesOf), ...attachmentIds];
  set.need([
    ...messages.flatMap(({ id, conversation_id }) => [
      { table: 'conversations' as const, values: [conversation_id] },
      { table: 'message_versions' as const, lookup: 'message', values: [id] },
      { table: 'tasks' as const, lookup: 'message', values: [id] },
      { table: 'obligations' as const, lookup: 'message', values: [id] },
      { table: 'rounds' as const, values: [id] },
      { table: 'task_words' as const, lookup: 'message', values: [id] },
    ]),
    ...files.map((id) => ({ table: 'attachments' as const, values: [id] })),
  ]);
  const kept = files.flatMap((id) => set.get('attachments', id) ?? []).filter(({ erased_at }) => erased_at === null);
  context.lock(...kept.map(({ sha256 }) => blobLock(sha256)));
  set.need(kept.map(({ sha256 }) => ({ table: 'attachments', lookup: 'blob', values: [sha256] })));
  set.need(
    messages
      .flatMap(({ id }) => set.find('task_words', 'message', id))
      .map(({ task_id }) => ({ table: 'approvals', lookup: 'whole', values: [task_id] })),
  );
  gatherObligations(
    messages.map(({ id }) => id),
    set,
    context,
  );
  gatherWhole(
    messages.flatMap(({ id }) => openOn(id, set)),
    set,
    context,
  );
}

const blobLock = (sha256: string): string => `blob:${sha256}`;
const openOn = (messageId: string, set: WorkingSet) => set.find('tasks', 'message', messageId).filter((task) => isOpen(task.state));

/** The words go, in every version; that something was said here stays. */
export function eraseMessage(message: MessageRow, by: string | null, set: WorkingSet, context: Context): MessageRow {
  gatherErasure([message], [], set, context);
  for (const version of set.find('message_versions', 'message', message.id)) set.remove('message_versions', version);
  for (const id of filesOf(message)) eraseAttachment(id, set, context);
  scrubLater(set, context);
  forgetRead(set);
  forgetObligations(message.id, set, context);
  changeRound(message.id, undefined, set, context);
  forgetAsked(message.id, set, context);
  // As it is now: one that hangs on another of them has ended with it.
  for (const { id } of openOn(message.id, set)) endTask(set.get('tasks', id)!, 'cancelled', 'request_deleted', set, context, { by });
  return set.update('messages', message, { body: null, attachments: '[]', deleted_at: context.now });
}

/** What turns under way have read may hold the words; a turn that is gone on with reads again instead. */
function forgetRead(set: WorkingSet): void {
  const running = set.find('turns', 'state', 'running');
  set.need(running.map((turn) => ({ table: 'journal', lookup: 'turn', values: [turn.id] })));
  for (const turn of running)
    for (const step of set.find('journal', 'turn', turn.id))
      if (step.read_only === 1 && step.result !== null) set.update('journal', step, { result: null });
}

/** The file itself is taken from the disk after the commit, unless another upload has the same content. */
export function eraseAttachment(id: string, set: WorkingSet, context: Context): void {
  const attachment = set.get('attachments', id);
  if (!attachment || attachment.erased_at !== null) return;
  context.lock(blobLock(attachment.sha256));
  const others = set.find('attachments', 'blob', attachment.sha256).filter((other) => other.id !== id && other.erased_at === null);
  set.update('attachments', attachment, { name: 'erased', media_type: 'erased', erased_at: context.now });
  append(set, context, {
    type: 'attachment.erased',
    actor: { type: 'operator' },
    scope: 'record',
    member_id: attachment.uploaded_by,
    subject_id: id,
  });
  if (others.length > 0) return;
  set.insert('outbox', {
    id: context.ids.next('effect'),
    kind: 'blob.erase',
    payload: JSON.stringify({ sha256: attachment.sha256 }),
    due_at: context.now,
    attempts: 0,
    leased_until: 0,
    last_error: null,
  });
}

/** The database's log still holds the words. It is emptied a moment later, once for all that is erased meanwhile. */
function scrubLater(set: WorkingSet, context: Context): void {
  if (set.find('timers', 'subject', 'store.scrub', 'log').length > 0) return;
  setTimer('store.scrub', 'log', 'wall', context.now + scrubAfterMs, set, context);
}

// The requester may still be writing (C2A-4): a row while that is so, and the timer that ends it. Core decides how long.

import { type ComposeWindow, keepOpen, openWindow, type Fragment, type WindowLimits } from '@parley/core';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, TaskRow, WindowRow, CompositionRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { setting } from '../facts/settings.ts';
import { setTimer } from '../facts/timers.ts';

/** The key of a conversation's own composing window. */
export const composeKey = (homeId: string): string => `compose:${homeId}`;
export const composeWants = (homeId: string): Want[] => [wantRow('settings', composeKey(homeId))];

/** Undefined: nobody waits for more here. */
export function windowIn(home: ConversationRow, tx: Tx): WindowLimits | undefined {
  const { window } = tx.limits;
  const quietMs = setting<number | null>(composeKey(home.id), tx, null) ?? window.quietMs;
  return quietMs === 0 ? undefined : { ...window, quietMs };
}

const timer = 'task.compose';

/** Only a queued task can still get words of its request. */
export const windowWants = (tasks: readonly TaskRow[]): Want[] =>
  tasks.filter(({ state }) => state === 'queued').flatMap(({ id }) => [wantRow('windows', id), wantBy('timers', 'subject', timer, id)]);

export function windowOf(task: TaskRow, set: WorkingSet): ComposeWindow | undefined {
  const row = task.state === 'queued' ? set.get('windows', task.id) : undefined;
  return row && { since: row.since, readyAt: row.ready_at };
}

/** The length of the composing window, and the event after which it starts. */
export interface ComposingWait {
  limits: WindowLimits;
  piece: Fragment;
}

/** `fresh`: the task is new, and has none. `since`: when the first piece came, of a request that goes on. */
export function startWindow(
  task: TaskRow,
  { limits, piece }: ComposingWait,
  tx: Tx,
  { fresh = false, since = tx.now }: { fresh?: boolean; since?: number } = {},
): void {
  const { readyAt } = openWindow(tx.now, limits, piece, since);
  if (!fresh) tx.need(windowWants([task]));
  const row: WindowRow = { task_id: task.id, since, ready_at: readyAt };
  tx.insert('windows', row);
  setTimer(timer, task.id, 'wall', readyAt, tx, fresh);
}

export function keepWindow(task: TaskRow, by: Fragment | 'typing', limits: WindowLimits, tx: Tx): void {
  const window = windowOf(task, tx);
  if (!window) return;
  const { readyAt } = keepOpen(window, by, tx.now, limits);
  if (readyAt === window.readyAt) return;
  tx.update('windows', tx.get('windows', task.id)!, { ready_at: readyAt });
  setTimer(timer, task.id, 'wall', readyAt, tx);
}

/** The task has ended: nothing more is waited for. */
export function dropWindow(task: TaskRow, tx: Tx): void {
  if (!windowOf(task, tx)) return;
  tx.remove('windows', tx.get('windows', task.id)!);
  setTimer(timer, task.id, 'wall', null, tx);
}

// A request goes on after its turn has begun (C2A-28): a row for as long as its author's next words may belong to it. Anyone
// else's post removes it, and so does the agent's first word.

export const compositionWants = (conversationId: string): Want[] => [wantBy('compositions', 'conversation', conversationId)];

export const compositionOf = (task: TaskRow, set: WorkingSet): CompositionRow | undefined => set.find('compositions', 'task', task.id)[0];

/** Begins a request that its author may still be writing. `fresh`: the task is new, and has none. */
export function startComposition(task: TaskRow, conversationId: string, tx: Tx, fresh = false): void {
  if (task.requester_id === null) return;
  const change = { conversation_id: conversationId, requester_id: task.requester_id, since: tx.now, restarts: 0 };
  const before = fresh ? undefined : compositionOf(task, tx);
  if (before && before.conversation_id === conversationId) {
    tx.update('compositions', before, change);
    return;
  }
  if (before) tx.remove('compositions', before);
  tx.insert('compositions', { task_id: task.id, ...change });
}

export function endComposition(task: TaskRow, set: WorkingSet): void {
  const row = compositionOf(task, set);
  if (row) set.remove('compositions', row);
}

/** Somebody posts: what others are writing here is whole from now on. */
export function endCompositionsOfOthers(conversationId: string, authorId: string | null, set: WorkingSet): void {
  for (const row of set.find('compositions', 'conversation', conversationId))
    if (row.requester_id !== authorId) set.remove('compositions', row);
}

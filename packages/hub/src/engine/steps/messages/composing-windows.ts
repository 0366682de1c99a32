// The requester may still be writing (C2A-4): a row while that is so, and the timer that ends it. Core decides how long.

import { type ComposeWindow, keepOpen, openWindow, type Fragment, type WindowLimits } from '@parley/core';
import { type Want, wantBy } from '../../../store/port.ts';
import type { ConversationRow, TaskRow, WindowRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { setting } from '../facts/settings.ts';
import { setTimer } from '../facts/timers.ts';

/** The key of a conversation's own composing window. */
export const composeKey = (homeId: string): string => `compose:${homeId}`;
export const composeWants = (homeId: string): Want[] => [{ table: 'settings', values: [composeKey(homeId)] }];

/** Undefined: nobody waits for more here. */
export function windowIn(home: ConversationRow, tx: Tx): WindowLimits | undefined {
  const { window } = tx.limits;
  const quietMs = setting<number | null>(composeKey(home.id), tx, null) ?? window.quietMs;
  return quietMs === 0 ? undefined : { ...window, quietMs };
}

const timer = 'task.compose';

/** Only a queued task is still being asked. */
export const windowWants = (tasks: readonly TaskRow[]): Want[] =>
  tasks
    .filter(({ state }) => state === 'queued')
    .flatMap(({ id }) => [{ table: 'windows', values: [id] }, wantBy('timers', 'subject', timer, id)]);

export function windowOf(task: TaskRow, set: WorkingSet): ComposeWindow | undefined {
  const row = task.state === 'queued' ? set.get('windows', task.id) : undefined;
  return row && { since: row.since, readyAt: row.ready_at };
}

/** How long is waited for more, and after what. */
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

// Timers as rows: set, moved and taken away inside the transaction that decides so.

import { type Want, wantRow } from '../../../store/port.ts';
import type { TimerRow } from '../../../store/tables.ts';
import type { TimerKind } from '../../../store/timer-kinds.ts';
import type { Tx } from '../../command.ts';
import { setting, haltNow } from './settings.ts';

/**
 * One timer per kind and subject: setting it again moves it, null takes it away. `fresh`: the subject is new, so there is none
 * to look for. The transaction that fires a timer removes it, so it fires once, on whichever hub.
 */
export function setTimer(kind: TimerKind, subject: string, clock: TimerRow['clock'], dueAt: number | null, tx: Tx, fresh = false): void {
  const existing = fresh ? undefined : tx.find('timers', 'subject', kind, subject)[0];
  if (dueAt === null) {
    if (existing) tx.remove('timers', existing);
    return;
  }
  if (existing && existing.due_at <= dueAt) tx.update('timers', existing, { due_at: dueAt });
  else {
    // Sooner than it was: inserted again, as only a new timer wakes those who wait for the next one.
    if (existing) tx.remove('timers', existing);
    tx.insert('timers', { id: tx.ids.next('timer'), kind, subject, clock, due_at: dueAt });
  }
}

/** Running timers count time in which agents could work: wall time less the shifts, and no time while everything is stopped. */
export const runningNow = (now: number, shiftMs: number, haltedSince: number | null = null): number =>
  Math.min(now, haltedSince ?? now) - shiftMs;

export const runningWants: Want[] = [wantRow('settings', 'clock.shift'), wantRow('settings', 'halted')];

/** The running time of this decision. */
export const runningTime = (tx: Tx): number => runningNow(tx.now, setting('clock.shift', tx, 0), haltNow(tx)?.since ?? null);

// Absence monitors: they emit an event when no matching event has come for a while. A row holds the time of the last one and
// a timer the end of the silence, so that a restart changes nothing.

import type { PapEvent } from '@parley/protocol';
import type { CompiledAbsence } from '@parley/core/provoke';
import type { AbsenceKeyRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { DefinitionsInForce, ProvokeCore } from '../../../provoke/compiled-definitions.ts';
import type { Context, Tx } from '../../command.ts';
import { shortKey } from '../../ids.ts';
import { setTimer } from '../facts/timers.ts';

const timer = 'absence.due';
const subjectOf = (id: string, name: string): string => `${id} ${name}`;

/**
 * An event at one hub and a change of the monitor at another wait for each other. Monitors share a lock by the last character
 * of their ID, so that an event takes few locks however many monitors it matches.
 */
const absenceLock = (id: string): string => `absence:${id.at(-1)}`;

/** A monitor that counted an event. */
export interface NotedAbsence {
  absenceId: string;
  /** The value of the monitor's key in the event; null: the monitor has no key. */
  key: unknown;
}

/** The verdict of each monitor of an event's type. */
export type MonitorVerdicts = Map<CompiledAbsence, ReturnType<CompiledAbsence['hears']>>;

export const monitorVerdicts = (
  event: PapEvent,
  sender: string | undefined,
  inForce: DefinitionsInForce,
  { patterns }: Context,
): MonitorVerdicts => new Map(inForce.absences(event.type).map((monitor) => [monitor, monitor.hears(event, sender, patterns)]));

/** Restarts the silence of each monitor that counts the event. */
export function restartSilences(event: PapEvent, verdicts: MonitorVerdicts, tx: Tx): NotedAbsence[] {
  const counting = [...verdicts].flatMap(([monitor, verdict]) => (verdict === 'heard' ? monitor : []));
  tx.lock(...counting.map(({ absence }) => absenceLock(absence.id)));
  return tx.each(counting, (monitor) => {
    startSilence(monitor, monitor.keyOf(event), tx);
    return notedBy(monitor, event, tx.provoke.core);
  });
}

/** A key can be as long as an event. The sender knows the rest of it. */
const longestKey = 200;
const mostListed = 20;

/** The answer lists the first monitors and counts all of them. */
export const listNoted = (noted: readonly NotedAbsence[]): { absences: NotedAbsence[]; heard: number } => ({
  absences: noted.slice(0, mostListed),
  heard: noted.length,
});

export function notedBy(monitor: CompiledAbsence, event: PapEvent, { sharedKey }: Pick<ProvokeCore, 'sharedKey'>): NotedAbsence {
  const absenceId = monitor.absence.id;
  const key = monitor.keyOf(event);
  if (key === sharedKey) return { absenceId, key: null };
  const value: unknown = JSON.parse(key);
  const text = typeof value === 'string' ? value : key;
  return { absenceId, key: text.length > longestKey ? `${text.slice(0, longestKey)}…`.toWellFormed() : value };
}

function startSilence({ absence }: CompiledAbsence, key: string, tx: Tx): void {
  const name = shortKey(key);
  tx.put('absence_keys', { absence_id: absence.id, name, key, heard_at: tx.now });
  setTimer(timer, subjectOf(absence.id, name), 'wall', tx.provoke.core.silentAt(absence, tx.now), tx);
}

/**
 * Whether the silence is not over yet, in which case its timer is set again. An event from the future, because the clock was
 * set back since, counts as one that came just now.
 */
export function isStillWaiting(row: AbsenceKeyRow, { absence }: CompiledAbsence, tx: Tx): boolean {
  const heardAt = Math.min(row.heard_at, tx.now);
  const silentAt = tx.provoke.core.silentAt(absence, heardAt);
  if (silentAt <= tx.now) return false;
  tx.update('absence_keys', row, { heard_at: heardAt });
  setTimer(timer, subjectOf(absence.id, row.name), 'wall', silentAt, tx);
  return true;
}

/** A monitor was written again, or switched on or off: it forgets its keys, and its silence begins now. */
export function armAbsence(object: ProvokeObjectRow, tx: Tx): void {
  tx.lock(absenceLock(object.id));
  tx.each(tx.find('absence_keys', 'absence', object.id), (row) => {
    tx.remove('absence_keys', row);
    setTimer(timer, subjectOf(object.id, row.name), 'wall', null, tx);
  });
  const compiled = object.removed_at === null && object.enabled === 1 ? tx.provoke.absence(object) : undefined;
  // The values of a key are known only when an event has brought them.
  if (compiled && compiled.absence.key === undefined) startSilence(compiled, tx.provoke.core.sharedKey, tx);
}

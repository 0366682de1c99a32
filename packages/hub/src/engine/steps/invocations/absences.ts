// Monitors of what does not happen. When the last one came is a row, and when silence becomes an event is a timer, so that
// a restart changes nothing.

import type { PapEvent } from '@parley/protocol';
import type { CompiledAbsence } from '@parley/core/provoke';
import type { AbsenceKeyRow, ProvokeObjectRow } from '../../../store/tables.ts';
import type { DefinitionsInForce, ProvokeCore } from '../../../provoke/compiled-definitions.ts';
import type { Context, Tx } from '../../command.ts';
import { shortKey } from '../facts/hash.ts';
import { setTimer } from '../facts/timers.ts';

const timer = 'absence.due';
const subjectOf = (id: string, name: string): string => `${id} ${name}`;

/**
 * What one hears at one hub, and its change at another: the later of them knows of the earlier. By their last sign, so that
 * there are few for however many hear an event.
 */
const absenceLock = (id: string): string => `absence:${id.at(-1)}`;

/** A monitor that took note. */
export interface NotedAbsence {
  absenceId: string;
  /** The value it told it apart by; null: it had none. */
  key: unknown;
}

/** What the monitors of its type make of an event. */
export type AbsenceMonitors = Map<CompiledAbsence, ReturnType<CompiledAbsence['hears']>>;

export const hearingOf = (
  event: PapEvent,
  sender: string | undefined,
  inForce: DefinitionsInForce,
  { patterns }: Context,
): AbsenceMonitors => new Map(inForce.absences(event.type).map((one) => [one, one.hears(event, sender, patterns)]));

/** It was heard: its silence begins again. */
export function noteEvent(event: PapEvent, all: AbsenceMonitors, tx: Tx): NotedAbsence[] {
  const hearing = [...all].flatMap(([one, said]) => (said === 'heard' ? one : []));
  tx.lock(...hearing.map(({ absence }) => absenceLock(absence.id)));
  return tx.each(hearing, (one) => {
    wait(one, one.keyOf(event), tx);
    return heardAs(one, event, tx.provoke.core);
  });
}

/** A key can be as long as an event; its sender knows the rest. */
const longestKey = 200;
const mostTold = 20;

/** Not all of them are listed one by one. */
export const toldOf = (heard: readonly NotedAbsence[]): { absences: NotedAbsence[]; heard: number } => ({
  absences: heard.slice(0, mostTold),
  heard: heard.length,
});

/** For which value, of an event that it hears. */
export function heardAs(one: CompiledAbsence, event: PapEvent, { sharedKey }: Pick<ProvokeCore, 'sharedKey'>): NotedAbsence {
  const key = one.keyOf(event);
  if (key === sharedKey) return { absenceId: one.absence.id, key: null };
  const value: unknown = JSON.parse(key);
  const text = typeof value === 'string' ? value : key;
  return { absenceId: one.absence.id, key: text.length > longestKey ? `${text.slice(0, longestKey)}…`.toWellFormed() : value };
}

function wait({ absence }: CompiledAbsence, key: string, tx: Tx): void {
  const name = shortKey(key);
  const row = tx.get('absence_keys', absence.id, name);
  if (row) tx.update('absence_keys', row, { heard_at: tx.now });
  else tx.insert('absence_keys', { absence_id: absence.id, name, key, heard_at: tx.now });
  setTimer(timer, subjectOf(absence.id, name), 'wall', tx.provoke.core.silentAt(absence, tx.now), tx);
}

/** Looked at before its time, it goes on waiting; what was heard by a clock that has been set back since was heard just now. */
export function isHeardLately(row: AbsenceKeyRow, { absence }: CompiledAbsence, tx: Tx): boolean {
  const heardAt = Math.min(row.heard_at, tx.now);
  const silentAt = tx.provoke.core.silentAt(absence, heardAt);
  if (silentAt <= tx.now) return false;
  tx.update('absence_keys', row, { heard_at: heardAt });
  setTimer(timer, subjectOf(absence.id, row.name), 'wall', silentAt, tx);
  return true;
}

/** Written again, switched on or off: what it waited for is forgotten, and it waits from now on. */
export function armAbsence(object: ProvokeObjectRow, tx: Tx): void {
  tx.lock(absenceLock(object.id));
  tx.each(tx.find('absence_keys', 'absence', object.id), (row) => {
    tx.remove('absence_keys', row);
    setTimer(timer, subjectOf(object.id, row.name), 'wall', null, tx);
  });
  const compiled = object.removed_at === null && object.enabled === 1 ? tx.provoke.absence(object) : undefined;
  // Which values there are is only known once they were seen.
  if (compiled && compiled.absence.key === undefined) wait(compiled, tx.provoke.core.sharedKey, tx);
}

// Settings of the workspace, by name.

import type { WorkingSet } from '../../working-set.ts';

/** Everything is stopped (SYS-10): the time and the person. */
export interface HaltSetting {
  since: number;
  by: string | null;
}

export function setting<T>(key: string, set: WorkingSet, fallback: T): T {
  const row = set.get('settings', key);
  return row ? (JSON.parse(row.value) as T) : fallback;
}

export const putSetting = (key: string, value: unknown, set: WorkingSet): void =>
  set.put('settings', { key, value: JSON.stringify(value) });

export const haltNow = (set: WorkingSet): HaltSetting | null => setting<HaltSetting | null>('halted', set, null);

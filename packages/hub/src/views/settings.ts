// Settings of the workspace, and among them whether everything is stopped.

import type { Halt } from '@parley/protocol';
import type { HaltSetting } from '../engine/steps/facts/settings.ts';
import type { Reader } from '../store/port.ts';

export async function settingOf<T>(reader: Reader, key: string, fallback: T): Promise<T> {
  const [row] = await reader.rows('settings', { key });
  return row ? (JSON.parse(row.value) as T) : fallback;
}

export async function haltView(reader: Reader): Promise<Halt> {
  const halted = await settingOf<HaltSetting | null>(reader, 'halted', null);
  return { halted: halted !== null, since: halted?.since ?? null, by: halted?.by ?? null };
}

// A regex of a trigger or monitor that took too long is shown with the trigger, until the trigger's next version.

import { wantRow } from '../../../store/port.ts';
import type { ProvokeObjectRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { putSetting, setting } from '../facts/settings.ts';

export interface TooSlow {
  version: number;
  at: number;
}

export const tooSlowKey = ({ kind, id }: Pick<ProvokeObjectRow, 'kind' | 'id'>): string => `too_slow:${kind}:${id}`;

/** Events may come thousands a second, and each would write the same row. */
const everyMs = 60_000;

export function noteTooSlow(rows: readonly ProvokeObjectRow[], tx: Tx): void {
  tx.need(rows.map((row) => wantRow('settings', tooSlowKey(row))));
  for (const row of rows) {
    const last = setting<TooSlow | null>(tooSlowKey(row), tx, null);
    if (last?.version === row.version && tx.now - last.at < everyMs && tx.now >= last.at) continue;
    putSetting(tooSlowKey(row), { version: row.version, at: tx.now } satisfies TooSlow, tx);
  }
}

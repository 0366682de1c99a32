// Effects outside the process, after the commit. Each is performed until it succeeds, so it must be safe to repeat.

import type { Tx } from '../../command.ts';

export function addEffect(kind: string, payload: Record<string, string>, tx: Tx): void {
  tx.insert('outbox', {
    id: tx.ids.next('effect'),
    kind,
    payload: JSON.stringify(payload),
    due_at: tx.now,
    attempts: 0,
    leased_until: 0,
    last_error: null,
  });
}

// What is to be done outside the process after the commit. Each is performed until it succeeds, so it must be safe to repeat.

import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

export function addEffect(kind: string, payload: Record<string, string>, set: WorkingSet, context: Context): void {
  set.insert('outbox', {
    id: context.ids.next('effect'),
    kind,
    payload: JSON.stringify(payload),
    due_at: context.now,
    attempts: 0,
    leased_until: 0,
    last_error: null,
  });
}

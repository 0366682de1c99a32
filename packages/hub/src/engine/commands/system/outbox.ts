// Effects on their way out of the process: one performer leases each, performs it, and says how it went.

import { wantRow } from '../../../store/port.ts';
import { shortenText } from '@parley/core';
import type { OutboxRow } from '../../../store/tables.ts';
import { type Handler, mustBeSystem } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';

export interface OutboxCommands {
  'outbox.lease': [{ id: string; forMs: number }, { effect: OutboxRow | null }];
  'outbox.done': [{ id: string }, void];
  /** The clock was set back: no effect waits for a time that it was at by mistake. */
  'outbox.sooner': [{ id: string; withinMs: number }, void];
  'outbox.failed': [{ id: string; error: string; retryInMs: number }, void];
}

const onEffect = {
  locks: (c: { id: string }) => [`effect:${c.id}`],
  needs: (c: { id: string }) => [wantRow('outbox', c.id)],
};

const lease: Handler<'outbox.lease'> = {
  ...onEffect,
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const effect = tx.get('outbox', c.id);
    if (!effect || effect.due_at > tx.now || effect.leased_until > tx.now) return { effect: null };
    return { effect: tx.update('outbox', effect, { leased_until: tx.now + c.forMs, attempts: effect.attempts + 1 }) };
  },
};

const done: Handler<'outbox.done'> = {
  ...onEffect,
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    const effect = tx.get('outbox', c.id);
    if (!effect) return;
    tx.remove('outbox', effect);
    append(tx, {
      type: 'effect.performed',
      actor,
      subject_id: effect.id,
      data: { kind: effect.kind, attempts: effect.attempts },
    });
  },
};

const failed: Handler<'outbox.failed'> = {
  ...onEffect,
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const effect = tx.get('outbox', c.id);
    if (effect) tx.update('outbox', effect, { due_at: tx.now + c.retryInMs, leased_until: 0, last_error: shortenText(c.error, 500) });
  },
};

const sooner: Handler<'outbox.sooner'> = {
  ...onEffect,
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const effect = tx.get('outbox', c.id);
    if (!effect) return;
    const latest = tx.now + c.withinMs;
    const payload = JSON.parse(effect.payload) as { until?: string };
    // Only some effects carry a time after which they are not retried.
    const until = payload.until === undefined ? {} : { until: String(Math.min(Number(payload.until), tx.now + tx.limits.outerMs)) };
    tx.update('outbox', effect, {
      due_at: Math.min(effect.due_at, latest),
      leased_until: Math.min(effect.leased_until, latest),
      payload: JSON.stringify({ ...payload, ...until }),
    });
  },
};

export const outboxHandlers = { 'outbox.lease': lease, 'outbox.done': done, 'outbox.sooner': sooner, 'outbox.failed': failed };

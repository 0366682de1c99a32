// Effects on their way out of the process: one performer leases each, performs it, and says how it went.

import { shortenText } from '@parley/core';
import type { OutboxRow } from '../../../store/tables.ts';
import { type Handler, mustBeSystem } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';

export interface OutboxCommands {
  'outbox.lease': [{ id: string; forMs: number }, { effect: OutboxRow | null }];
  'outbox.done': [{ id: string }, Record<string, never>];
  /** The clock was set back: no effect waits for a time that it was at by mistake. */
  'outbox.sooner': [{ id: string; withinMs: number }, Record<string, never>];
  'outbox.failed': [{ id: string; error: string; retryInMs: number }, Record<string, never>];
}

const onEffect = {
  locks: (c: { id: string }) => [`effect:${c.id}`],
  needs: (c: { id: string }) => [{ table: 'outbox' as const, values: [c.id] }],
};

const lease: Handler<'outbox.lease'> = {
  ...onEffect,
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (!effect || effect.due_at > context.now || effect.leased_until > context.now) return { effect: null };
    return { effect: set.update('outbox', effect, { leased_until: context.now + c.forMs, attempts: effect.attempts + 1 }) };
  },
};

const done: Handler<'outbox.done'> = {
  ...onEffect,
  decide: (c, set, context) => {
    const actor = mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (!effect) return {};
    set.remove('outbox', effect);
    append(set, context, {
      type: 'effect.performed',
      actor,
      subject_id: effect.id,
      data: { kind: effect.kind, attempts: effect.attempts },
    });
    return {};
  },
};

const failed: Handler<'outbox.failed'> = {
  ...onEffect,
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (effect) set.update('outbox', effect, { due_at: context.now + c.retryInMs, leased_until: 0, last_error: shortenText(c.error, 500) });
    return {};
  },
};

const sooner: Handler<'outbox.sooner'> = {
  ...onEffect,
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const effect = set.get('outbox', c.id);
    if (!effect) return {};
    const latest = context.now + c.withinMs;
    const payload = JSON.parse(effect.payload) as { until?: string };
    // Until when it is tried, where that is written with it.
    const until =
      payload.until === undefined ? {} : { until: String(Math.min(Number(payload.until), context.now + context.limits.outerMs)) };
    set.update('outbox', effect, {
      due_at: Math.min(effect.due_at, latest),
      leased_until: Math.min(effect.leased_until, latest),
      payload: JSON.stringify({ ...payload, ...until }),
    });
    return {};
  },
};

export const outboxHandlers = {
  'outbox.lease': lease,
  'outbox.done': done,
  'outbox.sooner': sooner,
  'outbox.failed': failed,
};

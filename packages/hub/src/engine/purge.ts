// Purges rows that are kept for a time only: looked for now and then, a little at a time, so that nobody waits for it.

import { idempotencyRetentionMs, keptSince } from '@parley/core';
import { requestLinkLimits } from '@parley/core/outside';
import type { Store } from '../store/port.ts';
import { readColumns } from '../store/where.ts';
import { platform } from './command.ts';
import { requestKeptMs } from './commands/system/kept-answers.ts';
import type { Engine } from './engine.ts';

const page = 500;
/** Whole chains go with each: fewer of them. */
const events = 200;

export interface PurgeOptions {
  store: Store;
  engine: Engine;
  /** How long events are kept; 0: for ever. */
  eventsKeptMs: number;
  report: (error: unknown) => void;
}

export class Purge {
  private readonly options: PurgeOptions;
  /** The last event that was looked at in this round: those whose chains are still needed are not asked about again in it. */
  private lookedAt = 0;
  private running: Promise<boolean> | undefined;

  constructor(options: PurgeOptions) {
    this.options = options;
  }

  /** True: there is more of it. Two at once would do the same twice. */
  some(now: number): Promise<boolean> {
    this.running ??= this.round(now).finally(() => (this.running = undefined));
    return this.running;
  }

  private async round(now: number): Promise<boolean> {
    const isUnfinished = [await this.requests(now), await this.keys(now), await this.requestLinks(now), await this.events(now)];
    return isUnfinished.includes(true);
  }

  private async requests(now: number): Promise<boolean> {
    const { store, engine, report } = this.options;
    const { rows, damaged } = await store.intact('requests', { at: { '<': now - requestKeptMs } }, { order: 'at', limit: page });
    damaged.forEach(report);
    if (rows.length === 0) return false;
    const requests = rows.map((row) => ({ actorId: row.actor_id, key: row.key }));
    await engine.submit({ type: 'requests.purge', by: platform, requests });
    return rows.length + damaged.length === page;
  }

  private async requestLinks(now: number): Promise<boolean> {
    const { store, engine, report } = this.options;
    const expired = { expires_at: { '<': now - requestLinkLimits.keptMs } };
    const { rows, damaged } = await store.intact('request_links', expired, { order: 'expires_at', limit: page });
    damaged.forEach(report);
    if (rows.length === 0) return false;
    await engine.submit({ type: 'request_links.purge', by: platform, ids: rows.map(({ id }) => id) });
    return rows.length + damaged.length === page;
  }

  /** Keys and places in windows that count no more. */
  private async keys(now: number): Promise<boolean> {
    const { store, engine, report } = this.options;
    const [keys, starts] = await Promise.all([
      store.intact('provoke_keys', { at: { '<': now - idempotencyRetentionMs } }, { order: 'at', limit: page }),
      store.intact('throttle_starts', { until: { '<=': now } }, { order: 'until', limit: page }),
    ]);
    [...keys.damaged, ...starts.damaged].forEach(report);
    if (keys.rows.length + starts.rows.length === 0) return false;
    await engine.submit({
      type: 'provoke.purge',
      by: platform,
      keys: keys.rows.map(({ event_id: eventId, trigger_id: triggerId }) => ({ eventId, triggerId })),
      starts: starts.rows.map(({ invocation_id }) => invocation_id),
    });
    return keys.rows.length === page || starts.rows.length === page;
  }

  /** The oldest first. Which of them are needed no more is decided with their whole chain in hand. */
  private async events(now: number): Promise<boolean> {
    const { store, engine, eventsKeptMs, report } = this.options;
    if (eventsKeptMs === 0) return false;
    // In the order they came: an index by time would cost every event that comes.
    const columns = ['seq', 'chain_id', 'accepted_at'] as const;
    const first = await readColumns(store, 'events', columns, { seq: { '>': this.lookedAt } }, { order: 'seq', limit: events });
    const since = keptSince(eventsKeptMs, now);
    const old = first.filter(({ accepted_at }) => accepted_at < since);
    const chains = [...new Set(old.map(({ chain_id }) => chain_id))];
    // Each by itself, so that one that is damaged holds up no other; they share a commit all the same.
    const outcomes = await Promise.allSettled(chains.map((chainId) => engine.submit({ type: 'provoke.forget', by: platform, chainId })));
    for (const outcome of outcomes) if (outcome.status === 'rejected') report(outcome.reason);
    const hasMore = old.length === events;
    this.lookedAt = hasMore ? old.at(-1)!.seq : 0;
    return hasMore;
  }
}

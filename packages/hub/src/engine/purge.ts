// Deletes a little at a time, so that nobody waits for it: rows that are kept for a time only, and the rest of an erasure.

import { idempotencyRetentionMs, keptSince } from '@parley/core';
import { requestLinkLimits } from '@parley/core/outside';
import type { Store } from '../store/port.ts';
import type { Rows, TableName } from '../store/tables.ts';
import { readColumns, type Where } from '../store/where.ts';
import { type CommandOf, platform } from './command.ts';
import { requestKeptMs } from './commands/system/kept-answers.ts';
import { factRanges } from './decision-reads.ts';
import type { Engine } from './engine.ts';

const page = 500;
/** Whole chains go with each: fewer of them. */
const events = 200;

export interface PurgeOptions {
  store: Store;
  engine: Engine;
  /** The retention of events; 0 means for ever. */
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

  /** The oldest rows that count no more. A damaged one is reported and stays. */
  private async expired<T extends TableName>(table: T, where: Where<Rows[T]>, order: keyof Rows[T] & string) {
    const { store, report } = this.options;
    const { rows, damaged } = await store.intact(table, where, { order, limit: page });
    damaged.forEach(report);
    return { rows, hasMore: rows.length > 0 && rows.length + damaged.length === page };
  }

  private async requests(now: number): Promise<boolean> {
    const { rows, hasMore } = await this.expired('requests', { at: { '<': now - requestKeptMs } }, 'at');
    const requests = rows.map((row) => ({ actorId: row.actor_id, key: row.key }));
    if (rows.length > 0) await this.options.engine.submit({ type: 'requests.purge', by: platform, requests });
    return hasMore;
  }

  private async requestLinks(now: number): Promise<boolean> {
    const expired = { expires_at: { '<': now - requestLinkLimits.keptMs } };
    const { rows, hasMore } = await this.expired('request_links', expired, 'expires_at');
    const ids = rows.map(({ id }) => id);
    if (rows.length > 0) await this.options.engine.submit({ type: 'request_links.purge', by: platform, ids });
    return hasMore;
  }

  /** Keys and places in windows that count no more. */
  private async keys(now: number): Promise<boolean> {
    const [keys, starts] = await Promise.all([
      this.expired('provoke_keys', { at: { '<': now - idempotencyRetentionMs } }, 'at'),
      this.expired('throttle_starts', { until: { '<=': now } }, 'until'),
    ]);
    const expired = {
      keys: keys.rows.map(({ event_id: eventId, trigger_id: triggerId }) => ({ eventId, triggerId })),
      starts: starts.rows.map(({ invocation_id }) => invocation_id),
    };
    if (keys.rows.length + starts.rows.length > 0) await this.options.engine.submit({ type: 'provoke.purge', by: platform, ...expired });
    return keys.hasMore || starts.hasMore;
  }

  /** The oldest first. Which of them are needed no more is decided with their whole chain in hand. */
  private async events(now: number): Promise<boolean> {
    const { store, engine, eventsKeptMs, report } = this.options;
    if (eventsKeptMs === 0) return false;
    // The scan follows the order of arrival, because an index by time would cost every event.
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

type Piece = Pick<CommandOf<'member.erase_more'>, 'messageIds' | 'attachmentIds' | 'reactions' | 'requestKeys' | 'eventIds'>;
const nothing: Piece = { messageIds: [], attachmentIds: [], reactions: [], requestKeys: [], eventIds: [] };
const erasedTogether = 200;

/** Erases piece by piece, so that ten years of messages do not hold up a single new one. */
export async function eraseAll(memberId: string, store: Store, engine: Engine): Promise<void> {
  const erase = (piece: Partial<Piece>) => engine.submit({ type: 'member.erase_more', by: platform, memberId, ...nothing, ...piece });
  for await (const [after, upTo] of factRanges(store)) {
    const filter = { seq: { '>': after, '<=': upTo }, author_id: memberId, deleted_at: null };
    const messages = await readColumns(store, 'messages', ['id'], filter, { order: 'seq' });
    const ids = messages.map(({ id }) => id);
    while (ids.length > 0) await erase({ messageIds: ids.splice(0, erasedTogether) });
  }
  for (;;) {
    const [attachments, reactions, requests, events] = await Promise.all([
      readColumns(store, 'attachments', ['id'], { uploaded_by: memberId, erased_at: null }, { limit: erasedTogether }),
      readColumns(store, 'reactions', ['message_id', 'emoji'], { member_id: memberId }, { limit: erasedTogether }),
      readColumns(store, 'requests', ['key'], { actor_id: memberId }, { limit: erasedTogether }),
      readColumns(store, 'events', ['id'], { by_id: memberId }, { limit: erasedTogether }),
    ]);
    if (attachments.length + reactions.length + requests.length + events.length === 0) return;
    await erase({
      attachmentIds: attachments.map(({ id }) => id),
      reactions: reactions.map(({ message_id: messageId, emoji }) => ({ messageId, emoji })),
      requestKeys: requests.map(({ key }) => key),
      eventIds: events.map(({ id }) => id),
    });
  }
}

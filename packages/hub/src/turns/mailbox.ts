// The mailbox as a cursor (C2A-6): messages since the agent last moved its cursor, a page at a time, inside a task like
// everything an agent reads. Reading moves nothing and gives no right to answer.

import { maxPageBytes } from '@parley/core';
import type { Mailbox, MailboxEntry } from '@parley/protocol';
import { joinedAt, type MailboxMessage, mailboxPage } from '../views/mailbox.ts';
import { type ReadFrom, AgentReads } from './agent-reads.ts';

/** So many pages are looked through for one that is full; where most is put before the agent there is little to find. */
const maxRounds = 20;

export interface MailboxAsk {
  conversationId?: string | undefined;
  after?: number | undefined;
  limit: number;
}

export async function readMailbox(hub: ReadFrom, agentId: string, taskId: string, ask: MailboxAsk): Promise<Mailbox> {
  const { store } = hub;
  const reader = new AgentReads(hub, agentId, taskId);
  const { home, from } = await reader.sight(ask.conversationId ?? (await reader.task()).conversation_id);
  const [[row], joined = Number.MAX_SAFE_INTEGER, head] = await Promise.all([
    store.rows('mailboxes', { conversation_id: home.id, member_id: agentId }),
    joinedAt(store, agentId, home.id),
    store.head(),
  ]);
  const seenSeq = Math.max(row?.seq ?? 0, Math.min(joined, head.seq));
  const span = { homeId: home.id, after: Math.max(ask.after ?? seenSeq, from - 1, Math.min(joined, head.seq)), upTo: head.seq };
  const found: MailboxMessage[] = [];
  let hasMore = true;
  for (let round = 0; hasMore && found.length < ask.limit && round < maxRounds; round++) {
    const page = await mailboxPage(store, agentId, span, { from: 'oldest', limit: ask.limit - found.length });
    found.push(...page.stored);
    hasMore = page.more;
    span.after = page.lookedAt ?? span.after;
    // Each round reads one page of text at most; a second one would make the answer larger than a page.
    if (found.reduce((sum, { message }) => sum + Buffer.byteLength(message.body ?? ''), 0) > maxPageBytes / 2) break;
  }
  await reader.handOver(found.map(({ message }) => message.author_id));
  return { conversationId: home.id, seen: seenSeq, entries: await entriesOf(hub, found), upTo: span.after, more: hasMore };
}

async function entriesOf({ store }: ReadFrom, found: MailboxMessage[]): Promise<MailboxEntry[]> {
  const members = await store.rows('members', { id: [...new Set(found.flatMap(({ message }) => message.author_id ?? []))] });
  const authors = new Map(members.map(({ id, kind, handle }) => [id, { id, kind, handle }]));
  return found.map(({ message, decided: { policy, mode, reason } }) => ({
    messageId: message.id,
    conversationId: message.conversation_id,
    author: authors.get(message.author_id ?? '') ?? null,
    policy,
    mode,
    reason,
    content: message.body ?? '',
    createdAt: message.created_at,
  }));
}

// What was stored for an agent and not put before it, from what was decided about each message when it was placed, or
// last changed. A conversation's threads are in its mailbox: their messages are facts of it.

import { type VerdictFields, verdictFor, isInMailbox, type MessageVerdicts } from '@parley/core';
import type { Reader } from '../store/port.ts';
import { fittingCount } from '../store/reads/pages.ts';
import type { MessageRow } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';
import { undamaged } from './row-views.ts';
import { verdictsIn } from './verdicts.ts';

export interface MailboxMessage {
  message: MessageRow;
  verdicts: MessageVerdicts;
  decided: VerdictFields;
}

export interface MailboxSpan {
  homeId: string;
  /** Exclusive. */
  after: number;
  /** Inclusive. */
  upTo: number;
}

/** One page of the conversation, in order from either end; `stored` is the part that the agent may find. */
export async function mailboxPage(
  reader: Reader,
  agentId: string,
  { homeId, after, upTo }: MailboxSpan,
  page: { from: 'oldest' | 'latest'; limit: number },
): Promise<{ stored: MailboxMessage[]; lookedAt: number | undefined; more: boolean }> {
  const found = await readColumns(
    reader,
    'facts',
    ['subject_id', 'seq'],
    { conversation_id: homeId, seq: { '>': after, '<=': upTo }, type: 'message.posted' },
    { order: page.from === 'oldest' ? 'seq' : 'seq desc', limit: page.limit + 1 },
  );
  const pageIds = found.slice(0, page.limit).map(({ subject_id }) => subject_id!);
  const ids = pageIds.slice(0, await fittingCount(reader, pageIds));
  const hasMore = found.length > page.limit || ids.length < pageIds.length;
  const lookedAt = found[ids.length - 1]?.seq;
  if (page.from === 'latest') ids.reverse();
  return { stored: await undamaged(ids, (some) => storedOf(reader, agentId, some, upTo)), lookedAt, more: hasMore };
}

async function storedOf(reader: Reader, agentId: string, ids: string[], upTo: number): Promise<MailboxMessage[]> {
  const [facts, messages, had] = await Promise.all([
    reader.rows('facts', { subject_id: ids, seq: { '<=': upTo }, type: ['message.posted', 'message.edited'] }, { order: 'seq' }),
    reader.rows('messages', { id: ids, deleted_at: null }),
    putBefore(reader, agentId, ids),
  ]);
  const byId = new Map(messages.map((message) => [message.id, message]));
  const verdictsById = new Map<string, MessageVerdicts>();
  // An edit that was heeded was decided again; without a decision there is nothing to say of it.
  for (const fact of facts) {
    const verdicts = verdictsIn(fact);
    if (verdicts) verdictsById.set(fact.subject_id!, verdicts);
  }
  return ids.flatMap((id): MailboxMessage[] => {
    const [message, verdicts] = [byId.get(id), verdictsById.get(id)];
    if (!message || !verdicts || had.has(id)) return [];
    const verdict = verdictFor(verdicts, agentId);
    return isInMailbox(verdict) ? [{ message, verdicts, decided: verdict }] : [];
  });
}

/** Messages that called nobody and became the agent's work later, because a person assigned them or the agent claimed them. */
async function putBefore(reader: Reader, agentId: string, messageIds: readonly string[]): Promise<Set<string>> {
  const where = { agent_id: agentId, state: { '<>': 'cancelled' }, message_id: messageIds } as const;
  return new Set((await readColumns(reader, 'tasks', ['message_id'], where)).map(({ message_id }) => message_id));
}

/** From where on an agent finds anything there: what was said before it came was decided without it. Undefined: it is not there. */
export async function joinedAt(reader: Reader, agentId: string, homeId: string): Promise<number | undefined> {
  const [membership] = await reader.rows('memberships', { conversation_id: homeId, member_id: agentId });
  return membership?.joined_seq;
}

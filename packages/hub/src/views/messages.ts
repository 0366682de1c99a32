// Messages with what hangs on them, in a constant number of reads however many there are.

import type { Message } from '@parley/protocol';
import type { Reader, SearchAsk, SearchHit, Store } from '../store/port.ts';
import { firstReactions, threadSums } from '../store/reads/messages.ts';
import { fittingCount } from '../store/reads/pages.ts';
import type { MessageRow, ReactionRow, TaskWordRow } from '../store/tables.ts';
import { messageView, undamaged } from './row-views.ts';

export async function messageViews(reader: Reader, rows: MessageRow[]): Promise<Message[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const withFiles = rows.flatMap((row) => JSON.parse(row.attachments) as string[]);
  const threads = rows.flatMap((row) => (row.thread_id === null ? [] : [row.thread_id]));
  const [files, reactions, replies, words, urgent, sources] = await Promise.all([
    reader.rows('attachments', { id: withFiles }),
    reactionsTo(reader, ids),
    threads.length === 0 ? [] : threadSums(reader, threads),
    wordsByMessage(reader, ids),
    urgentOf(reader, ids),
    sourcesOf(reader, ids),
  ]);
  const fileById = new Map(files.map((file) => [file.id, file]));
  const reactionsOf = Map.groupBy(reactions, (reaction) => reaction.message_id);
  const threadOf = new Map(replies.map((sum) => [sum.id, sum]));
  return rows.map((row) => {
    const word = words.get(row.id);
    return messageView(row, {
      task: word ? { id: word.task_id, kind: word.kind } : null,
      urgent: urgent.has(row.id),
      source: sources.get(row.id) ?? null,
      attachments: (JSON.parse(row.attachments) as string[]).flatMap((id) => fileById.get(id) ?? []),
      reactions: reactionsOf.get(row.id) ?? [],
      thread: (row.thread_id !== null && threadOf.get(row.thread_id)) || { replies: 0, lastAt: null },
    });
  });
}

async function sourcesOf(reader: Reader, ids: string[]): Promise<Map<string, Message['source']>> {
  const rows = await reader.rows('message_sources', { message_id: ids });
  return new Map(rows.map((row) => [row.message_id, row.source]));
}

async function urgentOf(reader: Reader, ids: string[]): Promise<Set<string>> {
  return new Set((await reader.rows('urgent_messages', { message_id: ids })).map((row) => row.message_id));
}

/**
 * The first of them by time, this many to a message: each names who reacted, and there is no end to how many may.
 * Beyond it a message does not say who else did; its answers stay of a size that can be read and sent.
 */
const maxReactions = 1000;
/** Nearly every page has fewer; only above this is it worth counting them by message. */
const usualReactions = 5000;

async function reactionsTo(reader: Reader, messageIds: string[]): Promise<ReactionRow[]> {
  const rows = await reader.rows('reactions', { message_id: messageIds }, { limit: usualReactions });
  return rows.length < usualReactions ? firstOfEach(rows) : firstReactions(reader, messageIds, maxReactions);
}

const firstOfEach = (rows: ReactionRow[]): ReactionRow[] =>
  [...Map.groupBy(rows, (row) => row.message_id).values()].flatMap((all) =>
    all.length <= maxReactions ? all : all.toSorted((a, b) => a.at - b.at || (a.member_id < b.member_id ? -1 : 1)).slice(0, maxReactions),
  );

export async function messagesById(reader: Reader, ids: string[]): Promise<Map<string, Message>> {
  if (ids.length === 0) return new Map();
  const views = await undamaged(ids, async (some) => messageViews(reader, await reader.rows('messages', { id: some })));
  return new Map(views.map((view) => [view.id, view]));
}

const maxSearchRounds = 20;

/**
 * What a search found, in its order: as many as asked for and as fit one page. Hits that the reader may not see are passed over before
 * anything is counted: not even `more` may tell that they are there.
 */
export async function searchPage(
  store: Store,
  ask: SearchAsk,
  sees: (hit: SearchHit) => boolean,
): Promise<{ messages: Message[]; more: boolean }> {
  const ids: string[] = [];
  for (let { before } = ask, round = 0; ids.length <= ask.limit && round < maxSearchRounds; round++) {
    const hits = await store.search.find({ ...ask, before, limit: ask.limit + 1 });
    ids.push(...hits.filter(sees).map(({ messageId }) => messageId));
    if (hits.length <= ask.limit) break;
    before = hits.at(-1)!.seq;
  }
  const fittingIds = ids.slice(0, await fittingCount(store, ids.slice(0, ask.limit)));
  const views = await messagesById(store, fittingIds);
  return { messages: fittingIds.flatMap((id) => views.get(id) ?? []), more: ids.length > fittingIds.length };
}

/** The task of a message: its author's own comes first; the other agents' tasks show what it was for them. */
export async function wordsByMessage(reader: Reader, messageIds: string[]): Promise<Map<string, TaskWordRow>> {
  const rows = await reader.rows('task_words', { message_id: messageIds }, { order: 'task_id' });
  const words = new Map<string, TaskWordRow>();
  for (const word of rows)
    if ((word.kind !== 'follow_up' && word.kind !== 'result') || !words.has(word.message_id)) words.set(word.message_id, word);
  return words;
}

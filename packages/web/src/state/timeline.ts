import type { Message, MessagePage } from '@parley/protocol';
import type { Timeline } from './model.ts';

/**
 * A fact's message. Edits are ordered by version and deletion is final, so neither can be undone by something older;
 * what comes through the stream is newest by definition.
 */
export function upsertMessage(timeline: Timeline, message: Message): Timeline {
  const known = timeline.messages[message.id];
  if (known && isOlder(message, known)) return timeline;
  return { ...timeline, messages: { ...timeline.messages, [message.id]: message } };
}

const isOlder = (a: Message, b: Message): boolean => a.version < b.version || (a.deletedAt === null && b.deletedAt !== null);

/** Of what the stream brought and the answer to one's own command: of one version the fact stays, which may have reactions since. */
export const newerOf = (known: Message | undefined, answer: Message): Message => (known && !isOlder(known, answer) ? known : answer);

/** A new message goes to the end, unless the window ends earlier: a hole would look like history. */
export function appendMessage(timeline: Timeline, message: Message): Timeline {
  const next = upsertMessage(timeline, message);
  if (timeline.moreAfter || timeline.loading === 'first' || timeline.ids.includes(message.id)) return next;
  return { ...next, ids: insertBySeq(next, message) };
}

function insertBySeq(timeline: Timeline, message: Message): string[] {
  const ids = [...timeline.ids];
  let at = ids.length;
  while (at > 0 && timeline.messages[ids[at - 1]!]!.seq > message.seq) at -= 1;
  ids.splice(at, 0, message.id);
  return ids;
}

/**
 * What a fetch brought. It was read after it was asked for (`asked`: what was here then) and before it arrived: so it
 * is newer than anything that has not changed since, and older than what facts told meanwhile. Messages that such
 * facts brought while the newest page was on its way belong after it.
 */
export function mergePage(
  timeline: Timeline,
  page: MessagePage,
  kind: 'replace' | 'before' | 'after',
  asked: Timeline['messages'],
): Timeline {
  const messages = { ...timeline.messages };
  const told = (id: string) => messages[id] !== undefined && messages[id] !== asked[id];
  const toldSince = Object.values(messages).filter((message) => told(message.id));
  for (const message of page.messages) if (!told(message.id)) messages[message.id] = message;
  const fetched = page.messages.map((message) => message.id);
  const base = { ...timeline, messages, loading: null, error: null };
  if (kind === 'before') return { ...base, ids: unique([...fetched, ...timeline.ids]), moreBefore: page.moreBefore };
  const ids = kind === 'after' ? unique([...timeline.ids, ...fetched]) : fetched;
  const moreBefore = kind === 'after' ? timeline.moreBefore : page.moreBefore;
  if (page.moreAfter) return { ...base, ids, moreBefore, moreAfter: true };
  const lastSeq = Math.max(0, ...ids.map((id) => messages[id]!.seq));
  // In a window that was open at its end, what facts told of before it was asked for belongs there too.
  const known = kind === 'after' ? Object.values(messages) : toldSince;
  const later = known.filter((message) => message.seq > lastSeq);
  later.sort((a, b) => a.seq - b.seq);
  return { ...base, ids: [...ids, ...later.map((message) => message.id)], moreBefore, moreAfter: false };
}

const unique = (ids: string[]): string[] => [...new Set(ids)];

/** Leaving a conversation lets go of all but its newest page; scrolling up fetches the rest again. */
export function trimTimeline(timeline: Timeline, keep = 100): Timeline {
  if (timeline.moreAfter || timeline.ids.length <= keep * 2) return timeline;
  const ids = timeline.ids.slice(-keep);
  return { ...timeline, ids, messages: Object.fromEntries(ids.map((id) => [id, timeline.messages[id]!])), moreBefore: true };
}

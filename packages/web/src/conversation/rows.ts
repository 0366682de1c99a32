import type { Message } from '@parley/protocol';
import { startOfDay } from '../lib/time.ts';
import type { Pending, Timeline } from '../state/model.ts';

export type Row =
  | { type: 'day'; key: string; at: number }
  | { type: 'new'; key: string }
  /** `compact`: goes on under the name above it. */
  | { type: 'message'; key: string; message: Message; compact: boolean }
  | { type: 'pending'; key: string; item: Pending; compact: boolean };

interface RowsInput {
  timeline: Timeline | undefined;
  pending: readonly Pending[];
  /** The divider goes before the first message of somebody else after this. */
  newAfter: number | null;
  myId: string;
  /** The time of what stands above the rows, whose day is known already. */
  since: number | null;
}

const sameBreathMs = 5 * 60_000;

export function buildRows({ timeline, pending, newAfter, myId, since }: RowsInput): Row[] {
  const rows: Row[] = [];
  let above: { authorId: string | null; at: number; closed?: boolean } | null = since === null ? null : { authorId: '', at: since };
  let divided = newAfter === null;
  const goesOn = (authorId: string | null, at: number) =>
    above !== null &&
    !above.closed &&
    above.authorId === authorId &&
    at - above.at < sameBreathMs &&
    startOfDay(at) === startOfDay(above.at);
  const dayBreak = (at: number) => {
    if (above !== null && startOfDay(at) === startOfDay(above.at)) return;
    rows.push({ type: 'day', key: `day-${startOfDay(at)}`, at });
    above = null;
  };
  for (const id of timeline?.ids ?? []) {
    const message = timeline!.messages[id]!;
    dayBreak(message.createdAt);
    if (!divided && message.seq > newAfter! && message.authorId !== myId) {
      divided = true;
      rows.push({ type: 'new', key: 'new' });
      above = null;
    }
    rows.push({ type: 'message', key: id, message, compact: goesOn(message.authorId, message.createdAt) });
    // Reactions and replies stand below what they belong to: going on under them would put them in the middle of it.
    const closed = message.reactions.length > 0 || message.threadReplies > 0;
    above = { authorId: message.authorId, at: message.createdAt, closed };
  }
  for (const item of pending) {
    if (item.seenAs !== null && timeline?.messages[item.seenAs]) continue;
    dayBreak(item.at);
    rows.push({ type: 'pending', key: item.key, item, compact: goesOn(myId, item.at) });
    above = { authorId: myId, at: item.at };
  }
  return rows;
}

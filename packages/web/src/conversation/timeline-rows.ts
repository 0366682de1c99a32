import type { Checkpoint, Leave, Message, Notice } from '@parley/protocol';
import type { KeptCheckpoint } from '../dialogs/inbox/use-kept-checkpoints.ts';
import { startOfDay } from '../lib/time.ts';
import type { Draft, PendingMessage, Timeline } from '../state/model.ts';

export type TimelineRow =
  | { type: 'day'; key: string; at: number }
  | { type: 'new'; key: string }
  /** `compact`: goes on under the name above it. */
  | { type: 'message'; key: string; message: Message; compact: boolean }
  /** Several agents that are offline share one notice. */
  | { type: 'notice'; key: string; notice: Notice; also: readonly Notice[] }
  /** An agent was asked to leave: by whom is seen by all who see it go. */
  | { type: 'leave'; key: string; leave: Leave }
  /** What waits for the reader's decision; `open: false` once it was answered. */
  | { type: 'checkpoint'; key: string; kept: KeptCheckpoint }
  /** What the reader, or somebody in their stead, has decided. */
  | { type: 'settled'; key: string; checkpoint: Checkpoint }
  | { type: 'draft'; key: string; draft: Draft }
  | { type: 'pending'; key: string; item: PendingMessage; compact: boolean };

interface RowsInput {
  timeline: Timeline | undefined;
  pending: readonly PendingMessage[];
  /** Of this conversation, by place. */
  notices?: readonly Notice[];
  drafts?: readonly Draft[];
  /** Of this conversation. */
  leaves?: readonly Leave[];
  /** Of this conversation, by place. */
  checkpoints?: readonly KeptCheckpoint[];
  /** The divider goes before the first message of somebody else after this. */
  newAfter: number | null;
  myId: string;
  /** The time of what stands above the rows, whose day is known already. */
  since: number | null;
}

const sameBreathMs = 5 * 60_000;

export function buildRows({
  timeline,
  pending,
  notices = [],
  drafts = [],
  leaves = [],
  checkpoints = [],
  newAfter,
  myId,
  since,
}: RowsInput): TimelineRow[] {
  const rows: TimelineRow[] = [];
  let above: { authorId: string | null; at: number; word?: string | undefined; closed?: boolean } | null =
    since === null ? null : { authorId: '', at: since };
  let divided = newAfter === null;
  const goesOn = (authorId: string | null, at: number, word?: string) =>
    above !== null &&
    !above.closed &&
    above.authorId === authorId &&
    // An agent's question or answer has a label beside its name.
    above.word === word &&
    at - above.at < sameBreathMs &&
    startOfDay(at) === startOfDay(above.at);
  const dayBreak = (at: number) => {
    if (above !== null && startOfDay(at) === startOfDay(above.at)) return;
    rows.push({ type: 'day', key: `day-${startOfDay(at)}`, at });
    above = null;
  };
  const told = inWindow(timeline, notices, ({ seq }) => seq);
  let nextNotice = 0;
  const tellUpTo = (seq: number) => {
    for (; nextNotice < told.length && told[nextNotice]!.seq < seq; nextNotice++) {
      const notice = told[nextNotice]!;
      const last = rows.at(-1);
      if (last?.type === 'notice' && isSame(last.notice, notice)) {
        rows[rows.length - 1] = { ...last, also: [...last.also, notice] };
        continue;
      }
      dayBreak(notice.at);
      rows.push({ type: 'notice', key: `notice-${notice.seq}`, notice, also: [] });
      above = { authorId: null, at: notice.at, closed: true };
    }
  };
  const toDecide = inWindow(timeline, checkpoints, ({ checkpoint }) => checkpoint.seq);
  let nextDecision = 0;
  const askUpTo = (seq: number) => {
    for (; nextDecision < toDecide.length && toDecide[nextDecision]!.checkpoint.seq < seq; nextDecision++) {
      const kept = toDecide[nextDecision]!;
      dayBreak(kept.checkpoint.createdAt);
      const { checkpoint } = kept;
      rows.push(checkpoint.open ? { type: 'checkpoint', key: kept.id, kept } : { type: 'settled', key: kept.id, checkpoint });
      above = { authorId: null, at: kept.checkpoint.createdAt, closed: true };
    }
  };
  const gone = leavesIn(timeline, leaves);
  let nextLeave = 0;
  // Before what was said at the same moment: that is the goodbye.
  const leaveUpTo = (at: number) => {
    for (; nextLeave < gone.length && gone[nextLeave]!.at <= at; nextLeave++) {
      const leave = gone[nextLeave]!;
      dayBreak(leave.at);
      rows.push({ type: 'leave', key: `leave-${leave.memberId}`, leave });
      above = { authorId: null, at: leave.at, closed: true };
    }
  };
  for (const id of timeline?.ids ?? []) {
    const message = timeline!.messages[id]!;
    leaveUpTo(message.createdAt);
    tellUpTo(message.seq);
    askUpTo(message.seq);
    dayBreak(message.createdAt);
    if (!divided && message.seq > newAfter! && message.authorId !== myId) {
      divided = true;
      rows.push({ type: 'new', key: 'new' });
      above = null;
    }
    rows.push({ type: 'message', key: id, message, compact: goesOn(message.authorId, message.createdAt, message.task?.kind) });
    // Reactions and replies stand below what they belong to: going on under them would put them in the middle of it.
    const closed = message.reactions.length > 0 || message.threadReplies > 0;
    above = { authorId: message.authorId, at: message.createdAt, word: message.task?.kind, closed };
  }
  leaveUpTo(Number.POSITIVE_INFINITY);
  tellUpTo(Number.POSITIVE_INFINITY);
  askUpTo(Number.POSITIVE_INFINITY);
  for (const item of pending) {
    if (item.seenAs !== null && timeline?.messages[item.seenAs]) continue;
    dayBreak(item.at);
    rows.push({ type: 'pending', key: item.key, item, compact: goesOn(myId, item.at) });
    above = { authorId: myId, at: item.at };
  }
  // Only under what is newest: a draft is being written now.
  if (!timeline?.moreAfter) for (const draft of drafts) rows.push({ type: 'draft', key: `draft-${draft.taskId}`, draft });
  return rows;
}

/** A card that was answered under the reader's eyes stays one until they leave; a settled checkpoint is a line. */
export function withSettled(kept: readonly KeptCheckpoint[], settled: readonly Checkpoint[]): KeptCheckpoint[] {
  const cards = new Set(kept.map(({ id }) => id));
  const lines = settled.filter(({ id }) => !cards.has(id)).map((checkpoint) => ({ id: checkpoint.id, checkpoint, open: false }));
  return [...kept, ...lines].sort((a, b) => a.checkpoint.seq - b.checkpoint.seq);
}

const isSame = (a: Notice, b: Notice): boolean =>
  a.kind === 'agent_offline' && b.kind === 'agent_offline' && a.messageId !== null && a.messageId === b.messageId;

function leavesIn(timeline: Timeline | undefined, leaves: readonly Leave[]): readonly Leave[] {
  if (!timeline || timeline.loading === 'first' || leaves.length === 0) return [];
  const timeAt = (index: number) => timeline.messages[timeline.ids.at(index) ?? '']?.createdAt;
  const from = timeline.moreBefore ? (timeAt(0) ?? 0) : 0;
  const to = timeline.moreAfter ? (timeAt(-1) ?? 0) : Number.POSITIVE_INFINITY;
  return leaves.filter((leave) => leave.at >= from && leave.at <= to).sort((a, b) => a.at - b.at);
}

/** Those that fall into the window: outside it there is nothing they could stand beside. */
function inWindow<T>(timeline: Timeline | undefined, all: readonly T[], seqOf: (one: T) => number): readonly T[] {
  if (!timeline || timeline.loading === 'first') return [];
  const seqAt = (index: number) => timeline.messages[timeline.ids.at(index) ?? '']?.seq;
  const from = timeline.moreBefore ? (seqAt(0) ?? 0) : 0;
  const to = timeline.moreAfter ? (seqAt(-1) ?? 0) : Number.POSITIVE_INFINITY;
  return all.filter((one) => seqOf(one) >= from && seqOf(one) <= to);
}

import type { Message, MyConversation } from '@parley/protocol';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { dayLabel } from '../lib/time.ts';
import { useNow } from '../lib/use-now.ts';
import { DraftRow } from '../message/draft-row.tsx';
import { MessageRow } from '../message/message-row.tsx';
import { PendingRow } from '../message/pending-row.tsx';
import { useKeptCheckpoints } from '../dialogs/inbox/use-kept-checkpoints.ts';
import { CheckpointRow } from '../notices/checkpoint-row.tsx';
import { LeaveRow } from '../notices/leave-row.tsx';
import { NoticeAnnouncer, NoticeRow } from '../notices/notice-row.tsx';
import { SettledRow } from '../notices/settled-row.tsx';
import { useSelect, useWorkspace } from '../state/context.ts';
import type { PendingMessage } from '../state/model.ts';
import { nameOf } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { toast } from '../ui/toast.tsx';
import { buildRows, withSettled } from './timeline-rows.ts';
import { lastSeen, useScroll } from './use-scroll.ts';

export interface TimelineProps {
  /** Null for a thread that nobody has replied in yet. */
  conversationId: string | null;
  /** The conversation itself, or for a thread the one it hangs in: it decides what one may do. */
  home: MyConversation;
  pending: readonly PendingMessage[];
  label: string;
  /** The message a link points at; a new object for every time it is followed. */
  target: { messageId: string } | null;
  editing: string | null;
  onEdit: (messageId: string | null) => void;
  onThread: ((message: Message) => void) | null;
  /** Stands before everything: the message a thread hangs on, or the beginning of a channel. */
  lead?: ReactNode;
  /** When that was, so that its day is not named again. */
  leadAt?: number;
  beginning?: ReactNode;
  /** Counts up when the reader says something themselves: it brings them to the end. */
  sent: number;
}

export function TimelineView(props: TimelineProps) {
  const { conversationId, home, pending, target, editing, onEdit, onThread, sent, leadAt } = props;
  const { history, reading, store } = useWorkspace();
  const timeline = useSelect((state) => (conversationId === null ? undefined : state.timelines[conversationId]));
  const conversation = useSelect((state) => (conversationId === null ? undefined : state.conversations[conversationId]));
  const myId = useSelect((state) => state.myId);
  const notices = useSelect((state) => state.notices[conversationId ?? '']);
  const allDrafts = useSelect((state) => state.drafts);
  const allLeaves = useSelect((state) => state.leaves);
  const allCheckpoints = useSelect((state) => state.checkpoints);
  const toDecide = useMemo(
    () => Object.fromEntries(Object.entries(allCheckpoints).filter(([, one]) => one.conversationId === conversationId)),
    [allCheckpoints, conversationId],
  );
  const kept = useKeptCheckpoints(toDecide);
  const allSettled = useSelect((state) => state.settled);
  const checkpoints = useMemo(
    () =>
      withSettled(
        kept,
        Object.values(allSettled).filter((one) => one.conversationId === conversationId),
      ),
    [kept, allSettled, conversationId],
  );
  // The line above what is new, until the reader answers; `sent` tells that they did.
  const [mark, setMark] = useState(() => ({ sent, after: conversation && conversation.unread > 0 ? conversation.readSeq : null }));
  const newAfter = mark.sent === sent ? mark.after : null;
  const [highlighted, setHighlighted] = useState<{ messageId: string } | null>(null);
  const rows = useMemo(
    () =>
      buildRows({
        timeline,
        pending,
        newAfter,
        myId,
        since: leadAt ?? null,
        ...(notices ? { notices } : {}),
        drafts: allDrafts.filter((draft) => draft.conversationId === conversationId),
        leaves: allLeaves.filter((leave) => leave.conversationId === conversationId),
        checkpoints,
      }),
    [timeline, pending, notices, allDrafts, allLeaves, checkpoints, conversationId, newAfter, myId, leadAt],
  );

  const scroll = useScroll({
    rows,
    openEnded: timeline?.moreAfter ?? false,
    onNearTop: () => conversationId && void history.loadBefore(conversationId),
    onNearEnd: () => conversationId && void history.loadAfter(conversationId),
    onLook: (atEnd) => {
      const box = scroll.scroller.current;
      if (!conversationId || !box || !conversation) return;
      const looking = document.visibilityState === 'visible' && document.hasFocus();
      // What comes while nobody looks at the end is marked for when they do.
      if (conversation.unread > 0 && newAfter === null && !(looking && atEnd)) setMark({ sent, after: conversation.readSeq });
      if (looking) reading.seen(conversationId, lastSeen(box));
    },
  });
  const { jump } = scroll;

  const hasTarget = target !== null;
  useEffect(() => {
    if (conversationId === null) return;
    return history.show(conversationId, { load: !hasTarget });
    // A target that goes away must not fetch the newest page over the one it pointed into.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [history, conversationId]);

  useEffect(() => {
    if (!target || conversationId === null) return;
    let left = false;
    const find = async () => {
      const found = await history.loadAround(conversationId, target.messageId);
      if (left) return;
      if (!found) return toast('That message is not here any more.');
      setHighlighted(target);
      jump({ to: 'row', key: target.messageId });
    };
    void find();
    return () => {
      left = true;
    };
  }, [history, conversationId, target, jump]);

  const loaded = timeline !== undefined && timeline.loading !== 'first';
  const arrivedAt = useRef(false);
  useEffect(() => {
    if (!loaded || arrivedAt.current) return;
    arrivedAt.current = true;
    if (!hasTarget) jump(newAfter === null ? { to: 'end' } : { to: 'new' });
  }, [loaded, hasTarget, newAfter, jump]);

  useEffect(() => {
    if (sent === 0) return;
    const toEnd = async () => {
      if (conversationId && store.get().timelines[conversationId]?.moreAfter) await history.reload(conversationId);
      jump({ to: 'end' });
    };
    void toEnd();
  }, [sent, conversationId, history, store, jump]);

  const unread = (conversation?.unread ?? 0) > 0;

  const feed = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = feed.current;
    list?.addEventListener('keydown', walkRows);
    return () => list?.removeEventListener('keydown', walkRows);
  }, []);

  const toNewest = useCallback(async () => {
    if (conversationId && timeline?.moreAfter) await history.reload(conversationId);
    jump({ to: 'end' });
  }, [conversationId, timeline?.moreAfter, history, jump]);

  const holds = rows.some(
    ({ type }) =>
      type === 'message' || type === 'pending' || type === 'notice' || type === 'leave' || type === 'checkpoint' || type === 'settled',
  );
  const lastKey = rows.findLast((row) => row.type === 'message')?.key;
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroll.scroller} onScroll={scroll.onScroll} className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none]">
        <div ref={scroll.content} className={`flex min-h-full flex-col pb-3 ${props.lead ? '' : 'justify-end'}`}>
          {loaded && !timeline.moreBefore && props.beginning}
          {props.lead}
          {timeline?.loading === 'first' && (props.lead ? <LoadingLine /> : <Skeleton />)}
          {timeline?.loading === 'before' && <LoadingLine />}
          {timeline?.error && <LoadError text={timeline.error} onRetry={() => conversationId && void history.reload(conversationId)} />}
          {/* A feed without an article is none. */}
          <div
            ref={feed}
            {...(holds ? { role: 'feed', 'aria-label': props.label } : {})}
            aria-busy={timeline?.loading !== null && timeline !== undefined}
          >
            {rows.map((row) => {
              if (row.type === 'day') return <DayLine key={row.key} at={row.at} />;
              if (row.type === 'new') return <NewLine key={row.key} />;
              if (row.type === 'notice') return <NoticeRow key={row.key} notice={row.notice} also={row.also} home={home} />;
              if (row.type === 'leave') return <LeaveRow key={row.key} leave={row.leave} />;
              if (row.type === 'settled') return <SettledRow key={row.key} checkpoint={row.checkpoint} />;
              if (row.type === 'checkpoint') return <CheckpointRow key={row.key} checkpoint={row.kept.checkpoint} open={row.kept.open} />;
              if (row.type === 'draft') return <DraftRow key={row.key} draft={row.draft} />;
              if (row.type === 'pending') return <PendingRow key={row.key} item={row.item} compact={row.compact} />;
              return (
                <MessageRow
                  key={row.key}
                  message={row.message}
                  compact={row.compact}
                  home={home}
                  editing={editing === row.key}
                  highlighted={highlighted?.messageId === row.key ? highlighted : null}
                  tabStop={row.key === lastKey}
                  onEdit={onEdit}
                  onThread={onThread}
                />
              );
            })}
          </div>
        </div>
      </div>
      {scroll.away && rows.length > 0 && (
        <Button
          look="plain"
          icon="down"
          onClick={() => void toNewest()}
          className="absolute right-4 bottom-3 rounded-full bg-raised shadow-pop"
        >
          {unread ? 'New messages' : 'Newest'}
        </Button>
      )}
      <Announcer conversationId={conversationId} />
      <NoticeAnnouncer key={conversationId} conversationId={conversationId} />
    </div>
  );
}

/** Up and Down walk the messages once one has the focus; Tab then reaches its actions. */
function walkRows(event: KeyboardEvent) {
  if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-row]')) return;
  const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
  if (step === 0) return;
  const rows = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[data-row]')];
  const next = rows[rows.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

/** Reads out what others say while one is here; the history itself stays silent. */
function Announcer({ conversationId }: { conversationId: string | null }) {
  const newest = useSelect((state) => {
    const timeline = state.timelines[conversationId ?? ''];
    const message = timeline?.messages[timeline.ids.at(-1) ?? ''];
    return message && message.authorId !== state.myId && timeline?.loading === null ? message : null;
  });
  const name = useSelect((state) => nameOf(newest?.authorId ? state.members[newest.authorId] : undefined));
  const [first] = useState(newest?.id);
  const now = useNow();
  const fresh = newest && newest.id !== first && now - newest.createdAt < 60_000;
  return (
    <div className="sr-only" aria-live="polite">
      {fresh && `${name}: ${newest.body ?? ''}`}
    </div>
  );
}

function DayLine({ at }: { at: number }) {
  const now = useNow();
  return (
    <div className="flex items-center gap-3 px-4 pt-5 pb-2 text-xs font-medium text-ink-3 sm:px-6">
      <span className="h-px flex-1 bg-line" />
      {dayLabel(at, now)}
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

function NewLine() {
  return (
    <div data-new className="flex items-center gap-3 px-4 py-2 text-xs font-semibold text-danger sm:px-6">
      <span className="h-px flex-1 bg-danger opacity-40" />
      New messages
    </div>
  );
}

const LoadingLine = () => <p className="py-3 text-center text-[13px] text-ink-3">Loading…</p>;

function LoadError({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <p role="alert" className="flex items-center justify-center gap-2 px-4 py-4 text-sm text-ink-2">
      {text}
      <Button onClick={onRetry} className="min-h-8">
        Try again
      </Button>
    </p>
  );
}

function Skeleton() {
  return (
    <div aria-hidden="true" className="space-y-5 px-4 py-6 opacity-60 sm:px-6">
      {[60, 85, 45, 70].map((width) => (
        <div key={width} className="flex gap-3">
          <Icon name="more" className="invisible" size={36} />
          <div className="flex-1 space-y-2">
            <div className="h-3 w-28 rounded bg-hover" />
            <div className="h-3 rounded bg-hover" style={{ width: `${width}%` }} />
          </div>
        </div>
      ))}
    </div>
  );
}

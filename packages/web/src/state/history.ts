import type { Message } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { errorText } from '../lib/error-text.ts';
import type { StateStore } from '../lib/store.ts';
import { withMessage } from './apply.ts';
import { emptyTimeline } from './model.ts';
import type { State, Timeline } from './model.ts';
import { mergePage, newerOf, trimTimeline } from './timeline.ts';

export interface History {
  /** A conversation is on screen: loads its newest page unless it is here. The returned function is called on leaving. */
  show: (conversationId: string, options?: { load: boolean }) => () => void;
  /** Conversations on screen now. */
  open: () => ReadonlySet<string>;
  reload: (conversationId: string) => Promise<void>;
  /** Makes sure a message is in the window; says whether it is. */
  loadAround: (conversationId: string, messageId: string) => Promise<boolean>;
  loadBefore: (conversationId: string) => Promise<void>;
  loadAfter: (conversationId: string) => Promise<void>;
  /** The answer to one's own command; the fact may come before or after it. */
  put: (message: Message) => void;
  loadOne: (conversationId: string, messageId: string) => Promise<void>;
  refresh: (messageId: string) => Promise<void>;
}

const pageSize = 50;

export function createHistory(client: Client, store: StateStore<State>): History {
  const shown = new Map<string, number>();

  const timelineOf = (id: string): Timeline | undefined => store.get().timelines[id];
  const change = (id: string, update: (timeline: Timeline) => Timeline) =>
    store.update((state) => {
      const before = state.timelines[id] ?? emptyTimeline;
      const after = update(before);
      return after === state.timelines[id] ? state : { ...state, timelines: { ...state.timelines, [id]: after } };
    });

  async function load(id: string, kind: 'replace' | 'before' | 'after', query: Record<string, unknown>) {
    const asked = timelineOf(id)?.messages ?? {};
    const first = (timelineOf(id)?.ids.length ?? 0) === 0;
    change(id, (timeline) => ({ ...timeline, loading: kind === 'replace' ? (first ? 'first' : timeline.loading) : kind, error: null }));
    try {
      const page = await client.call('listMessages', { params: { conversationId: id }, query: { limit: pageSize, ...query } });
      change(id, (timeline) => mergePage(timeline, page, kind, asked));
    } catch (error) {
      change(id, (timeline) => ({ ...timeline, loading: null, error: errorText(error) }));
    }
  }

  const reload = (id: string) => load(id, 'replace', {});
  const seqAt = (timeline: Timeline, index: number) => timeline.messages[timeline.ids.at(index) ?? '']?.seq;

  return {
    show(id, { load: wanted } = { load: true }) {
      shown.set(id, (shown.get(id) ?? 0) + 1);
      const timeline = timelineOf(id);
      // Facts come only of what one has joined; anything else may have moved on since it was read.
      const followed = timeline && timeline.ids.length > 0 && !timeline.moreAfter && store.get().conversations[id]?.joined;
      if (wanted && !followed) void reload(id);
      return () => {
        const left = (shown.get(id) ?? 1) - 1;
        if (left > 0) return void shown.set(id, left);
        shown.delete(id);
        store.update((state) => {
          const timeline = state.timelines[id];
          const trimmed = timeline && trimTimeline(timeline);
          return trimmed === timeline || !trimmed ? state : { ...state, timelines: { ...state.timelines, [id]: trimmed } };
        });
      };
    },
    open: () => new Set(shown.keys()),
    reload,
    async loadAround(id, messageId) {
      const has = () => timelineOf(id)?.ids.includes(messageId) ?? false;
      if (has()) return true;
      await load(id, 'replace', { around: messageId });
      if (has()) return true;
      await reload(id);
      return false;
    },
    async loadBefore(id) {
      const timeline = timelineOf(id);
      if (!timeline || timeline.loading || !timeline.moreBefore) return;
      await load(id, 'before', { before: seqAt(timeline, 0) });
    },
    async loadAfter(id) {
      const timeline = timelineOf(id);
      if (!timeline || timeline.loading || !timeline.moreAfter) return;
      await load(id, 'after', { after: seqAt(timeline, -1) });
    },
    async refresh(messageId) {
      const message = await client.call('getMessage', { params: { messageId } });
      store.update((state) => withMessage(state, message));
    },
    put: (message) =>
      store.update((state) => withMessage(state, newerOf(state.timelines[message.conversationId]?.messages[message.id], message))),
    async loadOne(id, messageId) {
      if (timelineOf(id)?.messages[messageId]) return;
      const message = await client.call('getMessage', { params: { messageId } });
      change(id, (timeline) =>
        timeline.messages[messageId] ? timeline : { ...timeline, messages: { ...timeline.messages, [messageId]: message } },
      );
    },
  };
}

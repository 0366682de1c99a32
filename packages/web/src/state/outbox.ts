// Messages on their way out. One at a time per conversation, so that they arrive in the order they were written;
// each with its own idempotency key, so that trying again can never say it twice.

import type { Attachment, Message } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { ConnectionError, ParleyError } from '@parley/sdk';
import { errorText } from '../lib/error-text.ts';
import type { StateStore } from '../lib/store.ts';
import { threadOpened } from './apply.ts';
import { emptyTimeline } from './model.ts';
import type { PendingMessage, State } from './model.ts';
import { appendMessage, newerOf } from './timeline.ts';

export interface OutgoingMessage {
  conversationId: string | null;
  root: string | null;
  body: string;
  attachments: Attachment[];
  urgent?: true;
}

export interface MessageOutbox {
  send: (message: OutgoingMessage) => void;
  retry: (key: string) => void;
  discard: (key: string) => void;
  /** Yes, it may wake as many agents as the hub said it would. */
  confirm: (key: string) => void;
  /** Tries again what only a lost connection held up. */
  retryLost: () => void;
}

/** Replies to a message queue behind each other also while their thread is still being opened. */
const queueOf = (item: PendingMessage): string => item.root ?? item.conversationId ?? '';

export function createOutbox(client: Client, store: StateStore<State>, reload: (conversationId: string) => Promise<void>): MessageOutbox {
  const busy = new Set<string>();
  const lost = new Set<string>();

  const setPending = (change: (pending: readonly PendingMessage[]) => readonly PendingMessage[]) =>
    store.update((state) => ({ ...state, pending: change(state.pending) }));
  const patch = (key: string, change: Partial<PendingMessage>) =>
    setPending((pending) => pending.map((item) => (item.key === key ? { ...item, ...change } : item)));

  async function run(queue: string) {
    if (busy.has(queue)) return;
    busy.add(queue);
    for (let item = nextOf(queue); item; item = nextOf(queue)) await deliver(item);
    busy.delete(queue);
  }

  /** A failed message holds back those behind it: order matters more than speed. */
  function nextOf(queue: string): PendingMessage | undefined {
    const item = store.get().pending.find((each) => queueOf(each) === queue);
    return item?.failed === null ? item : undefined;
  }

  async function deliver(item: PendingMessage) {
    try {
      const conversationId = item.conversationId ?? (await openThread(item.root!));
      if (item.conversationId === null) patch(item.key, { conversationId });
      const message = await client.call(
        'postMessage',
        {
          params: { conversationId },
          body: {
            body: item.body,
            attachmentIds: item.attachments.map((file) => file.id),
            ...(item.urgent ? { urgent: true } : {}),
            ...(item.confirmAll === null ? {} : { confirmAll: item.confirmAll }),
          },
        },
        { idempotencyKey: item.key },
      );
      lost.delete(item.key);
      store.update((state) => arrived(state, item.key, message));
    } catch (error) {
      if (error instanceof ConnectionError) lost.add(item.key);
      patch(item.key, { failed: errorText(error), asksFor: countToConfirm(error), cost: costToConfirm(error), seenAs: null });
    }
  }

  async function openThread(root: string): Promise<string> {
    const thread = await client.call('openThread', { params: { messageId: root } });
    // The panel can show the thread from now on, so that its first reply never has nowhere to be.
    store.update((state) => {
      const timelines = { [thread.id]: { ...emptyTimeline, loading: null }, ...state.timelines };
      return threadOpened({ ...state, timelines }, thread);
    });
    void reload(thread.id);
    return thread.id;
  }

  function retry(key: string) {
    const item = store.get().pending.find((each) => each.key === key);
    if (!item) return;
    patch(key, { failed: null, asksFor: null });
    void run(queueOf(item));
  }

  function confirm(key: string) {
    const item = store.get().pending.find((each) => each.key === key);
    if (!item || item.asksFor === null) return;
    // Under a key of its own: it is another request than the one that was refused.
    const again = crypto.randomUUID();
    patch(key, { key: again, confirmAll: item.asksFor });
    retry(again);
  }

  return {
    send(message) {
      const item: PendingMessage = {
        ...message,
        key: crypto.randomUUID(),
        at: Date.now(),
        failed: null,
        asksFor: null,
        confirmAll: null,
        seenAs: null,
      };
      setPending((pending) => [...pending, item]);
      void run(queueOf(item));
    },
    retry,
    confirm,
    discard(key) {
      const item = store.get().pending.find((each) => each.key === key);
      lost.delete(key);
      setPending((pending) => pending.filter((each) => each.key !== key));
      if (item) void run(queueOf(item));
    },
    retryLost() {
      const keys = [...lost];
      lost.clear();
      for (const key of keys) retry(key);
    },
  };
}

/** How many agents `^ALL` would wake, when that is why it was refused. */
export function countToConfirm(error: unknown): number | null {
  return error instanceof ParleyError && error.code === 'confirm_all' ? Number(error.reason) : null;
}

/** In one step, so that no frame shows both the pending message and the real one, or neither. */
function arrived(state: State, key: string, message: Message): State {
  const timeline = state.timelines[message.conversationId];
  const known = state.conversations[message.conversationId];
  return {
    ...state,
    pending: state.pending.filter((item) => item.key !== key),
    timelines: timeline
      ? { ...state.timelines, [message.conversationId]: appendMessage(timeline, newerOf(timeline.messages[message.id], message)) }
      : state.timelines,
    conversations:
      known && known.lastSeq < message.seq
        ? { ...state.conversations, [known.id]: { ...known, lastSeq: message.seq } }
        : state.conversations,
  };
}

/** The estimated cost that the hub names with that number, in words. */
const costToConfirm = (error: unknown): string | undefined =>
  error instanceof ParleyError && error.code === 'confirm_all' ? error.problems[0]?.message : undefined;

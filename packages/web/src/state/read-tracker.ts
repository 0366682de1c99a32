import type { Client } from '@parley/sdk';
import type { StateStore } from '../lib/store.ts';
import { recountUnread, withConversation } from './apply.ts';
import type { State } from './model.ts';

export interface ReadTracker {
  /** A message was on screen in front of somebody. */
  seen: (conversationId: string, seq: number) => void;
}

const settleMs = 400;

/** Moves the read cursor at once here, and soon after at the hub: scrolling past fifty messages is one request. */
export function createReadTracker(
  client: Client,
  store: StateStore<State>,
  refresh: (conversationId: string) => Promise<unknown>,
): ReadTracker {
  const wanted = new Map<string, number>();
  const running = new Set<string>();

  async function report(conversationId: string) {
    if (running.has(conversationId)) return;
    running.add(conversationId);
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const seq = wanted.get(conversationId) ?? 0;
    wanted.delete(conversationId);
    try {
      const read = await client.call('markRead', { params: { conversationId }, body: { seq } });
      const known = store.get().conversations[conversationId];
      const counts = known && recountUnread(known, read);
      if (counts) store.update((state) => withConversation(state, { ...known, ...counts }));
      else if (known) await refresh(conversationId);
    } catch {
      // The next message seen, or the next visit, moves it.
    } finally {
      running.delete(conversationId);
      if (wanted.has(conversationId)) void report(conversationId);
    }
  }

  return {
    seen(conversationId, seq) {
      const known = store.get().conversations[conversationId];
      if (!known || !(known.joined || known.kind === 'thread') || seq <= known.readSeq || seq <= (wanted.get(conversationId) ?? 0)) return;
      wanted.set(conversationId, seq);
      if (seq >= known.lastSeq && known.unread > 0) {
        store.update((state) => withConversation(state, { ...state.conversations[conversationId]!, readSeq: seq, unread: 0 }));
      }
      void report(conversationId);
    },
  };
}

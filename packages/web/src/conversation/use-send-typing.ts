import { useCallback, useRef } from 'react';
import { useWorkspace } from '../state/context.ts';

/** Well within the time for which one is seen typing. */
const typingEveryMs = 3_000;

/** Tells the others that one is typing, now and then. `sent`: what was typed is out. */
export function useTyping(conversationId: string | null): { typed: () => void; sent: () => void } {
  const { typing } = useWorkspace();
  const last = useRef(0);
  const typed = useCallback(() => {
    if (conversationId === null || Date.now() - last.current < typingEveryMs) return;
    last.current = Date.now();
    typing(conversationId);
  }, [conversationId, typing]);
  const sent = useCallback(() => {
    last.current = 0;
  }, []);
  return { typed, sent };
}

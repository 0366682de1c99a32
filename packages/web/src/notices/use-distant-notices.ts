import { useEffect, useRef } from 'react';
import { useSelect, useWorkspace } from '../state/context.ts';
import { noConversation } from '../state/work.ts';
import { toast } from '../ui/toast.tsx';
import { noticeSentence } from './notice-words.ts';

/** A notice about a conversation one is not in has no place there, so it is shown in passing. */
export function useDistantNotices() {
  const { store } = useWorkspace();
  const newest = useSelect((state) => state.notices[noConversation]?.at(-1));
  const seen = useRef(newest?.seq ?? 0);
  useEffect(() => {
    if (!newest || newest.seq <= seen.current) return;
    seen.current = newest.seq;
    const { members } = store.get();
    toast(
      noticeSentence(newest, { agents: [members[newest.agentId ?? '']?.handle ?? []].flat(), member: () => 'Somebody', written: null }),
    );
  }, [newest, store]);
}

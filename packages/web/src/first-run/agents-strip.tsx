import type { MyConversation } from '@parley/protocol';
import { useMemo } from 'react';
import { useSelect } from '../state/context.ts';
import { Hint } from '../ui/hint.tsx';

/** Somebody who comes later finds the channel's beginning scrolled away: the agents are introduced to them too, once. */
export function AgentsStrip({ conversation }: { conversation: MyConversation }) {
  const hasWords = useSelect((state) => (state.timelines[conversation.id]?.ids.length ?? 0) > 0);
  const names = useAgentNames(conversation.id);
  if (conversation.kind !== 'channel' || !conversation.joined || !hasWords || names.length === 0) return null;
  const listed = names.slice(0, 3).join(', ');
  return (
    <Hint name="agents" subject={conversation.id} className="mx-3 mt-2 shrink-0 sm:mx-5">
      Agents work here too: {listed}
      {names.length > 3 && ` and ${names.length - 3} more`}. They speak only when somebody calls them. Write “{names[0]} what can you do?”
    </Hint>
  );
}

function useAgentNames(conversationId: string): string[] {
  const memberships = useSelect((state) => state.memberships[conversationId]);
  const members = useSelect((state) => state.members);
  return useMemo(
    () =>
      (memberships ?? [])
        .flatMap(({ memberId }) => members[memberId] ?? [])
        .filter(({ kind, status }) => kind === 'agent' && status === 'active')
        .map(({ handle }) => `^${handle}`)
        .sort((a, b) => a.localeCompare(b)),
    [memberships, members],
  );
}

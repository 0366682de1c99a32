import type { MyConversation } from '@parley/protocol';
import { useSelect } from '../state/context.ts';
import { Hint } from '../ui/hint.tsx';
import { firstToCall } from './prompts.ts';
import { useAgents } from './use-agents.ts';

/** Somebody who comes later finds the channel's beginning scrolled away: the agents are introduced to them too, once. */
export function AgentsStrip({ conversation }: { conversation: MyConversation }) {
  const hasWords = useSelect((state) => (state.timelines[conversation.id]?.ids.length ?? 0) > 0);
  const present = useAgents(conversation.id);
  const names = present.map(({ member }) => `^${member.handle}`);
  if (conversation.kind !== 'channel' || !conversation.joined || !hasWords || names.length === 0) return null;
  const first = firstToCall(present)!.member.handle;
  const listed = names.slice(0, 3).join(', ');
  return (
    <Hint name="agents" subject={conversation.id} className="mx-3 mt-2 shrink-0 sm:mx-5">
      Agents work here too: {listed}
      {names.length > 3 && ` and ${names.length - 3} more`}. They speak only when somebody calls them. Write “^{first} what can you do?”
    </Hint>
  );
}

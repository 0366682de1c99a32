// The participants of a thread: its workers, those of the message it hangs on, and that message's author.

import type { Listener } from './attend.ts';
import type { ConversationPlace, TaskFacts } from './continuation.ts';

/** Ids, people among them; tasks of elsewhere are passed over. */
export function participantIds(
  tasks: Iterable<Pick<TaskFacts, 'agentId' | 'conversationId' | 'messageId'>>,
  rootAuthorId: string | null,
  { id, kind, rootMessageId }: ConversationPlace,
): Set<string> {
  const found = new Set<string>();
  if (kind !== 'thread') return found;
  if (rootAuthorId !== null) found.add(rootAuthorId);
  for (const task of tasks)
    if (task.agentId !== null && (task.conversationId === id || task.messageId === rootMessageId)) found.add(task.agentId);
  return found;
}

/** Whether the agent is one of the participants that are still here, or the only one. */
export const standsInThread = (agentId: string, agents: ReadonlySet<string>): Listener['inThread'] =>
  agents.has(agentId) ? (agents.size === 1 ? 'alone' : 'among') : undefined;

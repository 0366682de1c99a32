// Sentences about agents that work without a task to show for it: the same on the page and in the shell (IAC-18).

import type { Agent } from '@parley/protocol';
import { agentList } from '../text/agent-list.ts';

/** Shown when there is no task: among the open ones, and among all that are kept. Work that events started is no task. */
export const noTasks = { open: 'No agent is at work.', all: 'No agent has had a task yet.' } as const;

export interface WokenWords {
  text: string;
  /** Some of it waits for the reader. */
  yours: boolean;
}

/**
 * The agents that events have woken: until they delegate, no task shows their work. Null: there are none. `asked`: the agents
 * for which the reader is asked for approval; all others wait for somebody else.
 */
export function wokenWords(
  agents: readonly Pick<Agent, 'id' | 'handle' | 'woken'>[],
  ownCheckpoints: ReadonlySet<string | null>,
): WokenWords | null {
  const waits = agents.filter(({ woken }) => woken === 'awaiting_approval');
  const [yours, others] = [waits.filter(({ id }) => ownCheckpoints.has(id)), waits.filter(({ id }) => !ownCheckpoints.has(id))];
  const sentence = (who: typeof waits, one: string, many: string): string[] =>
    who.length === 0 ? [] : [`${agentList(who.map(({ handle }) => handle))} ${who.length > 1 ? many : one}, woken by an event.`];
  const text = [
    ...sentence(
      agents.filter(({ woken }) => woken === 'working'),
      'is at work',
      'are at work',
    ),
    ...sentence(yours, 'waits for your approval', 'wait for your approval'),
    ...sentence(others, 'waits for a person’s approval', 'wait for a person’s approval'),
  ].join(' ');
  return text === '' ? null : { text, yours: yours.length > 0 };
}

// What a newcomer could say first. Each calls an agent that is here, so that it is answered.

import { unwokenText } from '@parley/core';
import type { Agent } from '@parley/protocol';

type Named = Pick<Agent, 'handle' | 'brain'>;
type Callable = Pick<Agent, 'brain' | 'status' | 'waking'>;

/** A newcomer's first call should be answered: a built-in agent that is ready, else any built-in one, else the first. */
export function firstToCall<A extends { agent: Callable | undefined }>(present: readonly A[]): A | undefined {
  const builtin = present.filter(({ agent }) => agent?.brain === 'builtin');
  return builtin.find(({ agent }) => agent?.status === 'idle' && unwokenText(agent.waking) === undefined) ?? builtin[0] ?? present[0];
}

/** Three for built-in agents, which know these; one for any other. The built-in ones come first: they need no key. */
export function firstPrompts(agents: readonly Named[]): string[] {
  const builtin = agents.filter(({ brain }) => brain === 'builtin');
  const [first = agents[0], second] = builtin;
  if (!first) return [];
  const hello = `^${first.handle} what can you do?`;
  if (first.brain !== 'builtin') return [hello];
  return [
    hello,
    `^${first.handle} who is here?`,
    second ? `^${first.handle} ask ${second.handle} what is going on` : `^${first.handle} open tasks`,
  ];
}

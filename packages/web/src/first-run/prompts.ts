// What a newcomer could say first. Each calls an agent that is here, so that it is answered.

import type { Agent } from '@parley/protocol';

type Named = Pick<Agent, 'handle' | 'brain'>;

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

// Agents in a sentence.

import type { Preview } from '@parley/protocol';

const mostNamed = 4;

export function list(handles: readonly string[]): string {
  const named = handles.slice(0, handles.length > mostNamed + 1 ? mostNamed : undefined).map((handle) => `^${handle}`);
  if (named.length < handles.length) return `${named.join(', ')} and ${handles.length - named.length} more`;
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : (named[0] ?? '');
}

/** What only the hub could say, beside what the page sees for itself. */
export function foretoldByHub(
  mayChange: Preview['mayChange'],
  handleOf: (agentId: string) => string | undefined,
  goesOn: (agentId: string) => boolean = () => false,
): string[] {
  return mayChange.flatMap(({ agentId, ahead, spent }) => {
    const handle = handleOf(agentId);
    if (handle === undefined || goesOn(agentId)) return [];
    if (spent) return `^${handle} has had all its turns for today: this would fail (may change).`;
    return ahead > 0 ? `^${handle} has ${ahead === 1 ? 'a task' : `${ahead} tasks`} here before this one (may change).` : [];
  });
}

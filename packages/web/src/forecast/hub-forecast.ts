import type { Preview } from '@parley/protocol';

/** What only the hub could say, beside what the page sees for itself. */
export function hubForecast(
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

// A room of a hundred agents is not a hundred lines: agents with the same verdict share one.

import type { Explanation, Outcome } from '@parley/protocol';

/** What was decided, and what became of it where that is known. */
export type VerdictGroup = Pick<Explanation['agents'][number], 'policy' | 'mode' | 'reason' | 'text'> & { outcome?: Outcome };
type OfOne = VerdictGroup & { handle: string; task?: object | null };

export interface Group {
  /** What holds for all of them. */
  like: VerdictGroup;
  /** Those that are known by name. */
  handles: string[];
  count: number;
}

/** So many are still read one by one. */
const mostAlone = 3;

const sort = ({ policy, mode, reason, outcome }: VerdictGroup): string => [policy, mode, reason, outcome].join(' ');

/** `unlisted`: how many more there are for whom `others` holds. */
export function groupVerdicts<T extends OfOne>(
  agents: readonly T[],
  unlisted = 0,
  others: VerdictGroup | null = null,
): { alone: T[]; groups: Group[] } {
  const sorts = new Map<string, T[]>();
  for (const agent of agents) if (!agent.task) sorts.set(sort(agent), [...(sorts.get(sort(agent)) ?? []), agent]);
  const groups: Group[] = [];
  for (const [key, members] of sorts) {
    const more = others && sort(others) === key ? unlisted : 0;
    if (members.length + more <= mostAlone) continue;
    groups.push({ like: ofAny(members[0]!), handles: members.map(({ handle }) => handle), count: members.length + more });
  }
  const told = new Set(groups.flatMap(({ handles }) => handles));
  if (others && unlisted > 0 && !groups.some(({ like }) => sort(like) === sort(others)))
    groups.push({ like: others, handles: [], count: unlisted });
  return { alone: agents.filter(({ handle }) => !told.has(handle)), groups };
}

/** What is said of one by name, said of any of them. */
function ofAny(agent: OfOne): VerdictGroup {
  const text = agent.text.replaceAll(`^${agent.handle}`, 'the agent');
  return { ...agent, text: text.charAt(0).toUpperCase() + text.slice(1) };
}

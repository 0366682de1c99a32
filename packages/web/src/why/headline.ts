// The answer to "why?" in one sentence.

import type { Explanation } from '@parley/protocol';
import { list } from '../floor/forecast.ts';

export function headline({ agents, quiet }: Pick<Explanation, 'agents' | 'quiet'>): string {
  const woken = agents.filter((agent) => agent.policy === 'must_respond').map((agent) => agent.handle);
  const may = agents.filter((agent) => agent.policy === 'may_respond').map((agent) => agent.handle);
  const silent = agents.length - woken.length - may.length + quiet;
  const stayed = silent === 0 ? '' : ` ${silent === 1 ? '1 agent' : `${silent} agents`} stayed quiet.`;
  if (woken.length > 0) return `${list(woken)} ${woken.length === 1 ? 'was' : 'were'} woken.${stayed}`;
  if (may.length > 0) return `Nobody was called; ${list(may)} could have answered.${stayed}`;
  return agents.length + quiet === 0 ? 'There is no agent here to wake.' : `Nobody was woken.${stayed}`;
}

// The answer to "why?" in one sentence.

import { agentList } from '@parley/core';
import type { Explanation } from '@parley/protocol';

export function whyHeadline({ agents, quiet }: Pick<Explanation, 'agents' | 'quiet'>): string {
  const called = agents.filter((agent) => agent.policy === 'must_respond');
  // What one of several takes, the others are not needed for.
  const spare = called.filter((agent) => agent.outcome === 'not_needed').map((agent) => agent.handle);
  const woken = called.filter((agent) => agent.outcome !== 'not_needed').map((agent) => agent.handle);
  const may = agents.filter((agent) => agent.policy === 'may_respond').map((agent) => agent.handle);
  const silent = agents.length - called.length - may.length + quiet;
  const stayed = silent === 0 ? '' : ` ${silent === 1 ? '1 agent' : `${silent} agents`} stayed quiet.`;
  const unneeded = spare.length === 0 ? '' : `; ${agentList(spare)} ${were(spare)} not needed`;
  if (woken.length > 0) return `${agentList(woken)} ${were(woken)} woken${unneeded}.${stayed}`;
  if (may.length > 0) return `Nobody was called; ${agentList(may)} could have answered.${stayed}`;
  return agents.length + quiet === 0 ? 'There is no agent here to wake.' : `Nobody was woken.${stayed}`;
}

const were = (handles: readonly string[]): string => (handles.length === 1 ? 'was' : 'were');

// The past turns of agents, by the purses of their last days: what an estimate of ^ALL rests on (PAP-3).

import { type CallAllEstimate, estimateAll, pastDays } from '@parley/core';
import type { WorkingSet } from '../../working-set.ts';
import { agentPurse, drawnFrom } from './turn-budget.ts';

const dayMs = 86_400_000;

export function allCost(agentIds: readonly string[], now: number, set: WorkingSet): CallAllEstimate {
  const days = Array.from({ length: pastDays }, (_, ago) => now - ago * dayMs);
  const purses = agentIds.map((id) => days.map((day) => agentPurse(id, day)));
  set.need(purses.flat().map((id) => ({ table: 'purses', values: [id] })));
  return estimateAll(
    purses.map((ids) => {
      const drawn = ids.map((id) => drawnFrom(id, set));
      return { turns: drawn.reduce((all, { turns }) => all + turns, 0), micros: drawn.reduce((all, { micros }) => all + micros, 0) };
    }),
  );
}

// What an agent thinks with. Its row says the kind, its identity the rest; both are changed here, so that they agree.

import type { BrainConfig } from '@parley/protocol';
import type { AgentRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { putAgent } from './agents.ts';
import { settleOffersFor } from '../offers/offers.ts';
import { agentOf, isPaused, pausedOnline, gatherTasks, moveTask, settleChain } from '../tasks/tasks.ts';
import { endTurns } from '../budget/turn-budget.ts';

/** It is to think with something else: what it is at is begun again by that, which goes by what was done already. */
export function handBack(agentId: string, set: WorkingSet, context: Context): void {
  const tasks = set.find('tasks', 'agent', agentId, 1);
  gatherTasks(tasks, set, context);
  for (const task of tasks) {
    if (task.state !== 'active') continue;
    endTurns(task.id, set, context, 'interrupted');
    moveTask(task, 'yield', {}, set, context, { why: 'brain' });
  }
}

const toldAt = (brain: BrainConfig | undefined): string | undefined => (brain?.kind === 'remote' ? brain.webhook?.url : undefined);

/** `was`: as its identity had it, where it has one. */
export function giveBrain(agentId: string, brain: BrainConfig, was: BrainConfig | undefined, set: WorkingSet, context: Context): AgentRow {
  const before = agentOf(agentId, set);
  if (before.brain === brain.kind && toldAt(brain) === toldAt(was)) return before;
  handBack(agentId, set, context);
  // Its runner so far is no longer the one.
  const agent = putAgent(before, { brain: brain.kind, online: isPaused(before) ? pausedOnline : 0, session: before.session + 1 }, set);
  for (const chainId of new Set(set.find('tasks', 'agent', agentId, 1).map((task) => task.chain_id))) settleChain(chainId, set, context);
  settleOffersFor([agentId], set, context);
  return agent;
}

// An agent's brain. The agent's row has the kind of the brain, and the identity the rest; both are changed here, so that
// they agree.

import type { BrainConfig } from '@parley/protocol';
import type { AgentRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { putAgent } from './agents.ts';
import { settleOffersFor } from '../offers/offers.ts';
import { agentOf, isPaused, pausedOnline, gatherTasks, moveTask, settleChain } from '../tasks/tasks.ts';
import { endTurns } from '../budget/turn-budget.ts';

/** The agent gets another brain, which begins the running work again and goes by the calls that were already made. */
export function handBack(agentId: string, tx: Tx): void {
  const tasks = tx.find('tasks', 'agent', agentId, 1);
  gatherTasks(tasks, tx);
  for (const task of tasks) {
    if (task.state !== 'active') continue;
    endTurns(task.id, tx, 'interrupted');
    moveTask(task, 'yield', {}, tx, { why: 'brain' });
  }
}

const webhookUrl = (brain: BrainConfig | undefined): string | undefined => (brain?.kind === 'remote' ? brain.webhook?.url : undefined);

/** `was`: as its identity had it, where it has one. */
export function giveBrain(agentId: string, brain: BrainConfig, was: BrainConfig | undefined, tx: Tx): AgentRow {
  const before = agentOf(agentId, tx);
  if (before.brain === brain.kind && webhookUrl(brain) === webhookUrl(was)) return before;
  handBack(agentId, tx);
  // The runner of the old brain no longer holds the agent.
  const agent = putAgent(before, { brain: brain.kind, online: isPaused(before) ? pausedOnline : 0, session: before.session + 1 }, tx);
  for (const chainId of new Set(tx.find('tasks', 'agent', agentId, 1).map((task) => task.chain_id))) settleChain(chainId, tx);
  settleOffersFor([agentId], tx);
  return agent;
}

// An agent's own row and its brain, and telling that it changed.

import type { BehaviourMode } from '@parley/core';
import { wantRow } from '../../../store/port.ts';
import type { AgentRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { settleOffersFor } from '../offers/offers.ts';
import { append } from '../facts/append.ts';
import type { BrainConfig } from '@parley/protocol';
import { agentOf, isPaused, pausedOnline, gatherTasks, moveTask, settleChain } from '../tasks/tasks.ts';
import { endTurns } from '../budget/turn-budget.ts';

export function putAgent(agent: AgentRow, change: Partial<AgentRow>, set: WorkingSet): AgentRow {
  const row = { ...agent, ...change };
  set.put('agents', row);
  return row;
}

/** Members who see the agent get the fact, and read the agent's state then. */
export function agentChanged(memberId: string, tx: Tx): void {
  append(tx, { type: 'agent.changed', scope: 'workspace', subject_id: memberId });
}

/** The agents wake up: their queued tasks begin, and open offers reach them again. */
export function wakeUp(memberIds: readonly string[], tx: Tx): void {
  tx.need(memberIds.map((id) => wantRow('agents', id)));
  const asleep = memberIds.filter((id) => typeof tx.get('agents', id)?.asleep_until === 'number');
  for (const id of asleep) {
    tx.update('agents', tx.get('agents', id)!, { asleep_until: null });
    agentChanged(id, tx);
  }
  settleOffersFor(asleep, tx);
}

/** How much an agent does unasked. One that nobody said anything of does all it may. */
export const modeOf = (agentId: string, set: WorkingSet): BehaviourMode => set.get('identities', agentId)?.mode ?? 'autonomous';

// An agent's brain. The agent's row has the kind of the brain, and the identity the rest; both are changed here, so that
// they agree.

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

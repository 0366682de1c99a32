// An agent's own row, and telling that it changed.

import type { BehaviourMode } from '@parley/core';
import type { AgentRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { settleOffersFor } from '../offers/offers.ts';
import { append } from '../facts/append.ts';

export function putAgent(agent: AgentRow, change: Partial<AgentRow>, set: WorkingSet): AgentRow {
  if (set.get('agents', agent.member_id)) return set.update('agents', agent, change);
  const row = { ...agent, ...change };
  set.insert('agents', row);
  return row;
}

/** Members who see the agent get the fact, and read the agent's state then. */
export function agentChanged(memberId: string, tx: Tx): void {
  append(tx, { type: 'agent.changed', scope: 'workspace', subject_id: memberId });
}

/** The agents wake up: their queued tasks begin, and open offers reach them again. */
export function wakeUp(memberIds: readonly string[], tx: Tx): void {
  tx.need(memberIds.map((id) => ({ table: 'agents', values: [id] })));
  const asleep = memberIds.filter((id) => typeof tx.get('agents', id)?.asleep_until === 'number');
  for (const id of asleep) {
    tx.update('agents', tx.get('agents', id)!, { asleep_until: null });
    agentChanged(id, tx);
  }
  settleOffersFor(asleep, tx);
}

/** How much an agent does unasked. One that nobody said anything of does all it may. */
export const modeOf = (agentId: string, set: WorkingSet): BehaviourMode => set.get('identities', agentId)?.mode ?? 'autonomous';

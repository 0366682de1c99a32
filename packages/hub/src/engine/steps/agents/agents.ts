// An agent's own row, and telling that it changed.

import type { BehaviourMode } from '@parley/core';
import type { AgentRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { settleOffersFor } from '../offers/offers.ts';
import { append } from '../facts/append.ts';

export function putAgent(agent: AgentRow, change: Partial<AgentRow>, set: WorkingSet): AgentRow {
  if (set.get('agents', agent.member_id)) return set.update('agents', agent, change);
  const row = { ...agent, ...change };
  set.insert('agents', row);
  return row;
}

/** Told to those who see the agent; what it is doing is looked up then. */
export function agentChanged(memberId: string, set: WorkingSet, context: Context): void {
  append(set, context, { type: 'agent.changed', scope: 'workspace', subject_id: memberId });
}

/** Slept enough: what waited for them begins, and what is anyone's is offered to them again. */
export function wakeUp(memberIds: readonly string[], set: WorkingSet, context: Context): void {
  set.need(memberIds.map((id) => ({ table: 'agents', values: [id] })));
  const asleep = memberIds.filter((id) => typeof set.get('agents', id)?.asleep_until === 'number');
  for (const id of asleep) {
    set.update('agents', set.get('agents', id)!, { asleep_until: null });
    agentChanged(id, set, context);
  }
  settleOffersFor(asleep, set, context);
}

/** How much an agent does unasked. One that nobody said anything of does all it may. */
export const modeOf = (agentId: string, set: WorkingSet): BehaviourMode => set.get('identities', agentId)?.mode ?? 'autonomous';

// An approval for good of a pair of agents (IAC-14). The approval covers the rights that the two had then: a change of
// rights asks again.

import { type BehaviourMode, behaviourModes } from '@parley/core';
import type { ContactRuleRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

function drop(agentId: string, set: WorkingSet, which: (targetId: string) => boolean): void {
  for (const pair of set.find('approved_pairs', 'agent', agentId)) if (which(pair.target_id)) set.remove('approved_pairs', pair);
}

/** A line is written, or taken away. The one for all decides only where no line of its own does. */
export function lineChanged(agentId: string, target: string, rule: ContactRuleRow | undefined, set: WorkingSet): void {
  if (target !== '*') return drop(agentId, set, (id) => id === target);
  if (rule === undefined || (rule.permission === 'allow' && rule.requires_approval === 0)) return;
  const own = new Set(set.find('contact_rules', 'agent', agentId).map((line) => line.target));
  drop(agentId, set, (id) => !own.has(id));
}

export function modeChanged(agentId: string, from: BehaviourMode, to: BehaviourMode, set: WorkingSet): void {
  if (behaviourModes.indexOf(to) > behaviourModes.indexOf(from)) drop(agentId, set, () => true);
}

// Two agents whose exchange was ended (C2A-20): they call each other no more in that chain, until a person lets them.

import { type Want, wantBy } from '../../../store/port.ts';
import type { CheckpointRow, TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { type CheckpointData, dataOf } from '../facts/checkpoints.ts';

/** Two members, in whatever order. */
export type AgentPair = readonly [string | null, string | null];

export const guardWants = (chainId: string): Want[] => [wantBy('tasks', 'chain', chainId, 0), wantBy('checkpoints', 'subject', chainId)];

const isBetween = ({ agent_id, requester_id }: TaskRow, pair: AgentPair): boolean =>
  agent_id !== requester_id && pair.includes(agent_id) && pair.includes(requester_id);

/** Sub-tasks between the two that the guard has ended. */
export function endedBetween(chainId: string, pair: AgentPair, set: WorkingSet): TaskRow[] {
  set.need(guardWants(chainId));
  return set.find('tasks', 'chain', chainId, 0).filter((task) => task.cause === 'no_progress' && isBetween(task, pair));
}

/** The questions that a person got about the two agents. */
export function checkpointsOn(chainId: string, pair: AgentPair, set: WorkingSet): CheckpointRow[] {
  set.need(guardWants(chainId));
  return set
    .find('checkpoints', 'subject', chainId)
    .filter((row) => row.kind === 'no_progress' && pair.every((id) => dataOf(row).agents?.includes(id ?? '') === true));
}

/** The last time that a person let them go on: after which message, and for how many turns. */
export function lastLift(chainId: string, pair: AgentPair, set: WorkingSet): Pick<CheckpointData, 'last' | 'allowed'> | undefined {
  return checkpointsOn(chainId, pair, set)
    .toSorted((a, b) => a.seq - b.seq)
    .map(dataOf)
    .findLast(({ lifted }) => lifted !== undefined);
}

/** No call between the two is taken any more. */
export function isEnded(chainId: string, pair: AgentPair, set: WorkingSet): boolean {
  const lifted = new Set(checkpointsOn(chainId, pair, set).flatMap((row) => dataOf(row).lifted ?? []));
  return endedBetween(chainId, pair, set).some(({ id }) => !lifted.has(id));
}

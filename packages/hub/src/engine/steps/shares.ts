// In a chain that an event began there is what triggers of several owners do, each as its owner (SYS-9). Each has the chain's
// whole budget, counted for itself: however much one of them spends, to the others it is as if they were alone (SYS-10).

import { dayOf } from '@parley/core';
import type { TaskRow } from '../../store/tables.ts';
import type { WorkingSet } from '../working-set.ts';
import { accountOf } from './accounts.ts';
import { isBounded } from './in-force.ts';
import type { Drawing } from './turns.ts';

export const sharePurse = (chainId: string, ownerId: string): string => `chain:${chainId}:${ownerId}`;
export const memberPurse = (ownerId: string, at: number): string => `member:${ownerId}:${dayOf(at)}`;

/** Those that a task draws on as its owner's; none: no invocation led to it, and the chain is one purse. */
export function sharesOf({ id }: Pick<TaskRow, 'id'>, at: number, set: WorkingSet): Drawing[] {
  let root = set.get('tasks', id);
  while (root && root.parent_id !== null) root = set.get('tasks', root.parent_id);
  // What an invocation has given is the first of its tasks, and the agent of the invocation came before it.
  if (!root || root.requester_id === null || (JSON.parse(root.path) as string[]).length < 2) return [];
  const share = sharePurse(root.chain_id, root.requester_id);
  set.need([
    { table: 'purses', values: [share] },
    { table: 'members', values: [root.requester_id] },
  ]);
  if (!set.get('purses', share)) return [];
  const owner = set.get('members', root.requester_id);
  // Counted for everybody: what is set aside and what is settled later are the same sum, whatever role they have by then.
  const day: Drawing = {
    purse: 'member_day',
    id: memberPurse(accountOf(root.requester_id, set), at),
    unbounded: !owner || !isBounded(owner),
  };
  return [{ purse: 'chain', id: share }, day];
}

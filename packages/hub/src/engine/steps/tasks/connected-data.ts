// Whether a task may have results of a tool server that is one person's own (SYS-6).

import { connectedField, type TaggedValue } from '@parley/core';
import type { TagRow, TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { egressIn } from '../facts/tagged-values.ts';
import { hearersOfTask } from './notes.ts';

export interface OwnServer {
  server: string;
  /** The ID of its person. */
  owner: string;
}

/** `value`: undefined where its person is not here; then nobody gets its results. */
export function connection(task: TaskRow, { server, owner }: OwnServer, set: WorkingSet): { allowed: boolean; value?: TaggedValue } {
  const person = set.get('members', owner);
  if (person?.kind !== 'human') return { allowed: false };
  const value = { field: connectedField(server), ownerId: person.id };
  return { allowed: egressIn([value], hearersOfTask(task, set), set).ok, value };
}

/**
 * The tag of the tool's server, where the chain has read from it: a call to that tool hands its arguments back to the owner
 * of the tag.
 */
export const tagOfTool = (calledAs: string, chainId: string, set: WorkingSet): TagRow | undefined =>
  set.find('tags', 'chain', chainId).find(({ field }) => field === connectedField(calledAs.split('__')[0]!));

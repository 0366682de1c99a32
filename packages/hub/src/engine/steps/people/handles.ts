// Members and team roles share one namespace, in which no two handles are the same or look alike (PAP-18).

import { handleShape, isReservedName } from '@parley/core';
import { foldHandle, ParleyError } from '@parley/protocol';
import { type Context, invalidField } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

/** Two that look alike wait for each other. */
export const handleLock = (handle: string): string => `handle:${handleShape(handle)}`;

/** `whose`: who has it already may write it otherwise. */
export function freeHandle(handle: string, whose: string | null, set: WorkingSet, context: Context): string {
  context.lock(handleLock(handle));
  const fold = foldHandle(handle);
  const taken = [...set.find('members', 'handle', fold), ...set.find('roles', 'handle', fold)];
  if (taken.some(({ id }) => id !== whose)) throw new ParleyError('handle_taken');
  if (isReservedName(handle)) throw invalidField('handle', 'is reserved: the platform speaks under it');
  if (set.find('handle_skeletons', 'skeleton', handleShape(handle)).some(({ subject_id }) => subject_id !== whose))
    throw new ParleyError('handle_taken', 'The handle looks like one that another member or role has. Choose another.');
  return fold;
}

/** Without a lock, for a choice among several names. */
export const isFreeHandle = (handle: string, set: WorkingSet): boolean =>
  !isReservedName(handle) &&
  set.find('roles', 'handle', foldHandle(handle)).length === 0 &&
  set.find('handle_skeletons', 'skeleton', handleShape(handle)).length === 0;

/** Call it once the member or role has the handle. */
export function keepHandle(subjectId: string, handle: string, set: WorkingSet): void {
  dropHandle(subjectId, set);
  set.insert('handle_skeletons', { skeleton: handleShape(handle), subject_id: subjectId });
}

export function dropHandle(subjectId: string, set: WorkingSet): void {
  for (const row of set.find('handle_skeletons', 'subject', subjectId)) set.remove('handle_skeletons', row);
}

// Members and team roles share one namespace, in which no two handles are the same or look alike (PAP-18). A handle that
// somebody had stays theirs until an admin gives it to somebody else (SYS-11).

import { createHash } from 'node:crypto';
import { type Actor, handleShape, isReservedName, may } from '@parley/core';
import { foldHandle, ParleyError } from '@parley/protocol';
import type { HandleSkeletonRow } from '../../../store/tables.ts';
import { invalidField, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

/** Two that look alike wait for each other. */
export const handleLock = (handle: string): string => `handle:${handleShape(handle)}`;

/** A limit, so that one member cannot take the good names from everybody. */
const mostHad = 20;

/** An erased member leaves no letter behind, and their handle still goes to nobody. */
export const hiddenShape = (shape: string): string => `#${createHash('sha256').update(shape).digest('hex').slice(0, 32)}`;

/** Everybody who has a handle of these looks, or had one. */
function holdersOf(handle: string, set: WorkingSet): HandleSkeletonRow[] {
  const shape = handleShape(handle);
  return [shape, hiddenShape(shape)].flatMap((skeleton) => set.find('handle_skeletons', 'skeleton', skeleton));
}

function hasNow({ skeleton, subject_id }: HandleSkeletonRow, set: WorkingSet): boolean {
  const subject = set.get('members', subject_id) ?? set.get('roles', subject_id);
  return subject !== undefined && handleShape(subject.handle) === skeleton;
}

/** `whose`: who has it already may write it otherwise. `by`: null where a stranger chooses it. */
export function freeHandle(handle: string, whose: string | null, by: Actor | null, tx: Tx): string {
  tx.lock(handleLock(handle));
  const fold = foldHandle(handle);
  const conflicts = [...tx.find('members', 'handle', fold), ...tx.find('roles', 'handle', fold)];
  if (conflicts.some(({ id }) => id !== whose)) throw new ParleyError('handle_taken');
  if (isReservedName(handle)) throw invalidField('handle', 'is reserved: the platform speaks under it');
  const holders = holdersOf(handle, tx);
  const others = holders.filter(({ subject_id }) => subject_id !== whose);
  if (tx.each(others, (row) => hasNow(row, tx)).includes(true))
    throw new ParleyError('handle_taken', 'The handle looks like one that another member or role has. Choose another.');
  const isTheirs = holders.some((row) => row.subject_id === whose && hasNow(row, tx));
  const mayReuse = isTheirs || (by !== null && may('handle.reuse', by).allowed);
  if (others.length > 0 && !mayReuse)
    throw new ParleyError('handle_taken', 'Somebody else had this handle before. Choose another, or ask an owner or admin for it.');
  if (whose !== null && !mayReuse && hadBy(whose, handle, tx) >= mostHad)
    throw new ParleyError('forbidden', `This member has had ${mostHad} handles, the limit. Ask an owner or admin to change it.`, {
      reason: 'member.rename:quota',
    });
  return fold;
}

function hadBy(subjectId: string, handle: string, set: WorkingSet): number {
  return set.find('handle_skeletons', 'subject', subjectId).filter(({ skeleton }) => skeleton !== handleShape(handle)).length;
}

/** Takes no lock, because it chooses among several names. */
export const isFreeHandle = (handle: string, set: WorkingSet): boolean =>
  !isReservedName(handle) && set.find('roles', 'handle', foldHandle(handle)).length === 0 && holdersOf(handle, set).length === 0;

/** Call it once the member or role has the handle. Earlier holders stay known: between them an admin decides. */
export function keepHandle(subjectId: string, handle: string, set: WorkingSet): void {
  if (!holdersOf(handle, set).some(({ subject_id }) => subject_id === subjectId))
    set.insert('handle_skeletons', { skeleton: handleShape(handle), subject_id: subjectId });
}

/** Call it when the member is erased. */
export function hideHandles(subjectId: string, set: WorkingSet): void {
  for (const row of set.find('handle_skeletons', 'subject', subjectId)) {
    set.remove('handle_skeletons', row);
    set.insert('handle_skeletons', { ...row, skeleton: hiddenShape(row.skeleton) });
  }
}

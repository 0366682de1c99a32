// Whether a task may have results of a tool server that is one person's own (SYS-6).

import { connectedField, type TaggedValue } from '@parley/core';
import { foldHandle, MemberId } from '@parley/protocol';
import type { TagRow, TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { egressIn } from '../facts/tagged-values.ts';
import { heardBy } from './notes.ts';

/** As its configuration names it. */
export interface OwnServer {
  server: string;
  /** Handle or member id. */
  owner: string;
}

/** `value`: undefined where the configuration names nobody who is here; then nobody gets its results. */
export function connection(task: TaskRow, { server, owner }: OwnServer, set: WorkingSet): { allowed: boolean; value?: TaggedValue } {
  const name = owner.replace(/^@/, '');
  const person = MemberId.safeParse(name).success ? set.get('members', name) : set.find('members', 'handle', foldHandle(name))[0];
  if (person?.kind !== 'human') return { allowed: false };
  const value = { field: connectedField(server), ownerId: person.id };
  return { allowed: egressIn([value], heardBy(task, set), set).ok, value };
}

/** The tag of the server whose tool this is, where the chain has read from it: a call hands back to its owner what it is given. */
export const tagOfTool = (calledAs: string, chainId: string, set: WorkingSet): TagRow | undefined =>
  set.find('tags', 'chain', chainId).find(({ field }) => field === connectedField(calledAs.split('__')[0]!));

// Chooses the notes that an agent gets for a turn (SYS-6), and tags them in the same transaction.

import { hasPrivateNotes, type Hearers, notesFor, type NotesForTurn, valuesIn, connectedField, type TaggedValue } from '@parley/core';
import type { MemberRow, TaskRow, TagRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { homeOf } from './chains.ts';
import { audienceIn, audienceOf, tagTask } from '../conversations/egress.ts';
import { egressIn, givenNotes, withheldNotes } from '../facts/tagged-values.ts';

/**
 * The notes of an agent for a turn that begins. The private ones only if every hearer of its answer is within the owner's
 * tier, and no tool of the agent hands its arguments on without approval (`reaching`).
 */
export function giveNotes(task: TaskRow, agent: MemberRow, reaching: readonly string[], set: WorkingSet): NotesForTurn {
  const row = set.get('identities', agent.id);
  if (!row) return { text: '', withheld: 0 };
  const { memory } = JSON.parse(row.data) as { memory: string };
  const ownerId = agent.owner_id;
  if (ownerId === null || !hasPrivateNotes(memory)) return notesFor(memory, true);
  // A tool that nobody approves could pass it on to anybody.
  const hearers = hearersOfTask(task, set);
  const allowed = egressIn([{ field: givenNotes, ownerId }], { ...hearers, anyone: hearers.anyone || reaching.length > 0 }, set).ok;
  // A brain that works for somebody else has no way to know the notes, and the requester could guess them from refusals.
  if (allowed || set.get('chains', task.chain_id)?.requester_id === ownerId)
    tagTask(task, { field: allowed ? givenNotes : withheldNotes, ownerId, values: valuesIn(memory) }, set);
  return notesFor(memory, allowed);
}

/** Everyone its answer reaches: where it may speak, and where those above it may, to whom its result goes. */
export function hearersOfTask(task: TaskRow, set: WorkingSet): Hearers {
  const line = [task];
  for (let id = task.parent_id; id !== null;) {
    const parent = set.get('tasks', id);
    if (!parent) break;
    line.push(parent);
    id = parent.parent_id;
  }
  const homes = line.flatMap((one) => [one.conversation_id, ...(JSON.parse(one.outputs) as string[])]).map((id) => homeOf(id, set));
  const participants = [set.get('chains', task.chain_id)?.requester_id, ...line.flatMap((one) => [one.requester_id, one.agent_id])];
  const all = [
    audienceOf(
      participants.flatMap((id) => id ?? []),
      set,
    ),
    ...homes.map((home) => audienceIn(home, set)),
  ];
  return { anyone: all.some(({ anyone }) => anyone), recipients: all.flatMap(({ recipients }) => recipients) };
}

// Decides whether a task may get results of a person's own tool server (SYS-6).

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

// The member who owes an answer that somebody waits for: one member, or nobody knows whose turn it is.

import type { Utterance } from '@parley/core';
import { foldHandle } from '@parley/protocol';
import type { MessageRow, TaskRow } from '../../../store/tables.ts';
import { invalidField } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import type { IncomingMessage, MessageReading } from '../conversations/incoming-message.ts';
import { type NamedMembers, namedIn } from '../conversations/addressable-members.ts';
import { homeOf } from '../tasks/tasks.ts';

const one = (ids: readonly string[]): string => {
  const [id, other] = new Set(ids);
  if (id === undefined || other !== undefined) throw invalidField('obligation', 'needs a message that addresses exactly one member');
  return id;
};

function named({ addresses, present }: NamedMembers): string[] {
  // A call to many has no addressee to wait for; a name that nobody has is text.
  if (addresses.some(({ kind }) => kind !== 'agent' && kind !== 'human' && kind !== 'unknown')) one([]);
  return addresses.flatMap(({ kind, handle }) => (kind === 'unknown' ? [] : (present.get(foldHandle(handle))?.id ?? [])));
}

/**
 * The addressee of a person’s message: the member it names, else the other side of a DM, else the agent whose task it goes
 * on with, else the author it replies to.
 */
export function addresseeOf({ named: names, called }: MessageReading, { home, author, replyTo }: IncomingMessage): string {
  const byName = named(names);
  if (byName.length > 0) return one(byName);
  const others = home.dm_key?.split(',').filter((id) => id !== author.id);
  if (others?.length === 1) return others[0]!;
  const woken = called.filter(({ verdict }) => verdict.task).map(({ agent }) => agent.id);
  return one(woken.length > 0 || !replyTo || replyTo.author_id === null ? woken : [replyTo.author_id]);
}

/** The addressee of an agent’s words in a task: its requester answers a question, the named member answers progress. */
export function askedBy(kind: Utterance, task: TaskRow, message: MessageRow, set: WorkingSet): string {
  if (kind === 'answer') throw invalidField('obligation', 'an answer is the last word: nobody waits after it');
  const byName = kind === 'question' ? [] : named(namedIn(message.body!, homeOf(message.conversation_id, set), set));
  return one(byName.length > 0 || task.requester_id === null ? byName : [task.requester_id]);
}

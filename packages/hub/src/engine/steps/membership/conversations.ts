// Making conversations, and their names.

import type { Actor } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { ConversationRow } from '../../../store/tables.ts';
import { actorId, type Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { append, heardIn } from '../facts/append.ts';
import { enter } from './memberships.ts';

export const foldName = (name: string): string => name.normalize('NFKC').toLowerCase();

type Naming = Pick<ConversationRow, 'name' | 'visibility' | 'archived_at'>;

/** Only a public channel in use holds its name: whether a private one has it is known to those who are in it. */
export const heldName = ({ name, visibility, archived_at }: Naming): string | null =>
  visibility === 'public' && archived_at === null ? foldName(name!) : null;

/** Channels in use of this name that the actor is in, and the public one. */
export function channelsNamed(name: string, actor: Actor, set: WorkingSet): { joined: ConversationRow[]; open: ConversationRow[] } {
  const fold = foldName(name);
  const memberships = actor.type === 'member' ? set.find('memberships', 'member', actor.id) : [];
  set.need(memberships.map(({ conversation_id: id }) => ({ table: 'conversations', values: [id] })));
  const joined = memberships
    .map(({ conversation_id: id }) => set.get('conversations', id)!)
    .filter((row) => row.kind === 'channel' && row.archived_at === null && foldName(row.name!) === fold);
  const open = set.find('conversations', 'name', fold).filter((row) => row.visibility === 'public' && !joined.includes(row));
  return { joined, open };
}

/** Asked of what the actor sees: a name that only a channel out of sight has is free. */
export function mustBeFree(name: string, actor: Actor, set: WorkingSet, except?: string): void {
  const { joined, open } = channelsNamed(name, actor, set);
  if ([...joined, ...open].some(({ id }) => id !== except)) throw new ParleyError('name_taken');
}

export function newChannel(
  input: {
    name: string;
    topic: string;
    visibility: ConversationRow['visibility'];
    floor: ConversationRow['floor'];
    history: ConversationRow['history'];
  },
  actor: Actor,
  set: WorkingSet,
  context: Context,
): ConversationRow {
  mustBeFree(input.name, actor, set);
  const name_fold = heldName({ ...input, archived_at: null });
  const conversation: ConversationRow = {
    id: context.ids.next('conversation'),
    kind: 'channel',
    name: input.name,
    name_fold,
    topic: input.topic,
    visibility: input.visibility,
    floor: input.floor,
    history: input.history,
    parent_id: null,
    root_message_id: null,
    dm_key: null,
    created_by: actorId(actor),
    created_at: context.now,
    archived_at: null,
  };
  set.insert('conversations', conversation);
  append(set, context, {
    type: 'conversation.created',
    actor,
    subject_id: conversation.id,
    conversation_id: conversation.id,
    scope: input.visibility === 'public' ? 'workspace' : 'conversation',
  });
  return conversation;
}

export const dmKey = (ids: string[]): string => [...new Set(ids)].sort().join(',');

export function newDm(ids: string[], actor: Actor, set: WorkingSet, context: Context): ConversationRow {
  const conversation: ConversationRow = {
    id: context.ids.next('conversation'),
    kind: 'dm',
    name: null,
    name_fold: null,
    topic: '',
    visibility: 'private',
    floor: 'polite',
    history: 'all',
    parent_id: null,
    root_message_id: null,
    dm_key: dmKey(ids),
    created_by: actorId(actor),
    created_at: context.now,
    archived_at: null,
  };
  set.insert('conversations', conversation);
  append(set, context, { type: 'conversation.created', actor, ...heardIn(conversation.id), subject_id: conversation.id });
  for (const id of ids) enter(conversation, id, 'participant', actor, set, context);
  return conversation;
}

export function shareConversation(a: string, b: string, set: WorkingSet): boolean {
  const mine = new Set(set.find('memberships', 'member', a).map((m) => m.conversation_id));
  return set.find('memberships', 'member', b).some((m) => mine.has(m.conversation_id));
}

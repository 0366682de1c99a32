// The thread on a message.

import type { Actor } from '@parley/core';
import type { ConversationRow, MessageRow } from '../../../store/tables.ts';
import { actorId, type Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { append, heardIn } from '../facts/append.ts';

/** The one there is, or a new one. A message in a thread has none of its own. */
export function threadOn(message: MessageRow, home: ConversationRow, actor: Actor, set: WorkingSet, context: Context): ConversationRow {
  const [existing] = set.find('conversations', 'root', message.id);
  if (existing) return existing;
  const { visibility, floor, history } = home;
  const conversation: ConversationRow = {
    id: context.ids.next('conversation'),
    kind: 'thread',
    name: null,
    name_fold: null,
    topic: '',
    visibility,
    floor,
    history,
    parent_id: home.id,
    root_message_id: message.id,
    dm_key: null,
    created_by: actorId(actor),
    created_at: context.now,
    archived_at: null,
  };
  set.insert('conversations', conversation);
  set.update('messages', message, { thread_id: conversation.id });
  append(set, context, { type: 'conversation.created', actor, ...heardIn(home.id), subject_id: conversation.id });
  return conversation;
}

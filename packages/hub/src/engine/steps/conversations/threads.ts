// The thread on a message.

import type { Actor } from '@parley/core';
import type { ConversationRow, MessageRow } from '../../../store/tables.ts';
import { actorId, type Tx } from '../../command.ts';
import { append, heardIn } from '../facts/append.ts';

/** The one there is, or a new one. A message in a thread has none of its own. */
export function threadOn(message: MessageRow, home: ConversationRow, actor: Actor, tx: Tx): ConversationRow {
  const [existing] = tx.find('conversations', 'root', message.id);
  if (existing) return existing;
  const { visibility, floor, history } = home;
  const conversation: ConversationRow = {
    id: tx.ids.next('conversation'),
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
    created_at: tx.now,
    archived_at: null,
  };
  tx.insert('conversations', conversation);
  tx.update('messages', message, { thread_id: conversation.id });
  append(tx, { type: 'conversation.created', actor, ...heardIn(home.id), subject_id: conversation.id });
  return conversation;
}

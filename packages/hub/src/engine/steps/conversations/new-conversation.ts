// The row of a new conversation, and the thread on a message.

import type { Actor } from '@parley/core';
import type { ConversationRow, MessageRow } from '../../../store/tables.ts';
import { actorId, type Tx } from '../../command.ts';
import { append } from '../facts/append.ts';

export function newConversation(fields: Pick<ConversationRow, 'kind'> & Partial<ConversationRow>, actor: Actor, tx: Tx): ConversationRow {
  const conversation: ConversationRow = {
    id: tx.ids.next('conversation'),
    name: null,
    name_fold: null,
    topic: '',
    visibility: 'private',
    floor: 'polite',
    history: 'all',
    parent_id: null,
    root_message_id: null,
    dm_key: null,
    created_by: actorId(actor),
    created_at: tx.now,
    archived_at: null,
    ...fields,
  };
  tx.insert('conversations', conversation);
  append(tx, {
    type: 'conversation.created',
    actor,
    scope: conversation.kind === 'channel' && conversation.visibility === 'public' ? 'workspace' : 'conversation',
    conversation_id: conversation.parent_id ?? conversation.id,
    subject_id: conversation.id,
  });
  return conversation;
}

/** The one there is, or a new one. A message in a thread has none of its own. */
export function threadOn(message: MessageRow, home: ConversationRow, actor: Actor, tx: Tx): ConversationRow {
  const [existing] = tx.find('conversations', 'root', message.id);
  if (existing) return existing;
  const { visibility, floor, history } = home;
  const thread = { kind: 'thread', visibility, floor, history, parent_id: home.id, root_message_id: message.id } as const;
  const conversation = newConversation(thread, actor, tx);
  tx.update('messages', message, { thread_id: conversation.id });
  return conversation;
}

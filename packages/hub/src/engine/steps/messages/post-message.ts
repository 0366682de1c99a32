// A message takes its place: one fact and one row, for every author.

import type { Actor } from '@parley/core';
import type { FactData } from '../../../store/fact-data.ts';
import { seqOfFact } from '../../../store/port.ts';
import type { ConversationRow, MessageRow } from '../../../store/tables.ts';
import { actorId, type Tx } from '../../command.ts';
import { endCompositionsOfOthers } from './composing-windows.ts';
import { append, heardIn } from '../facts/append.ts';

export interface NewMessage {
  id?: string;
  actor: Actor;
  conversation: ConversationRow;
  home: ConversationRow;
  body: string;
  replyTo?: string | undefined;
  attachmentIds?: string[];
  chainId?: string;
  data?: FactData['message.posted'];
}

export function placeMessage(words: NewMessage, tx: Tx): MessageRow {
  const { id = tx.ids.next('message'), actor, conversation, home } = words;
  const fact = append(tx, {
    type: 'message.posted',
    actor,
    ...heardIn(home.id),
    subject_id: id,
    chain_id: words.chainId ?? null,
    data: conversation.id === home.id ? words.data : { ...words.data, thread: conversation.id, root: conversation.root_message_id },
  });
  const message: MessageRow = {
    id,
    conversation_id: conversation.id,
    seq: seqOfFact(fact),
    author_id: actorId(actor),
    body: words.body,
    version: 1,
    reply_to: words.replyTo ?? null,
    attachments: JSON.stringify(words.attachmentIds ?? []),
    thread_id: null,
    created_at: tx.now,
    edited_at: null,
    deleted_at: null,
  };
  tx.insert('messages', message);
  endCompositionsOfOthers(conversation.id, message.author_id, tx);
  return message;
}

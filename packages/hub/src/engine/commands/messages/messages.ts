// Saying, changing and taking back.

import { type Actor, may, type Relation } from '@parley/core';
import { type DeclareObligation, ParleyError } from '@parley/protocol';
import { verdictData } from '../../../store/fact-data.ts';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MessageRow } from '../../../store/tables.ts';
import { actorId, actorOf, type CommandOf, type Handler, invalidField, require, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { applyEdit, editVerdicts, weighEdit } from '../../steps/attention/edits.ts';
import { eraseMessage } from '../../steps/departure/erase-message.ts';
import { compositionWants } from '../../steps/messages/composing-windows.ts';
import { wakeAgents } from '../../steps/attention/wake-agents.ts';
import { interpretMessage } from '../../steps/attention/attend-message.ts';
import { blockWants } from '../../steps/people/contact-rules.ts';
import { addresseeOf, oblige } from '../../steps/obligations/obligations.ts';
import { verdictsOf } from '../../steps/messages/verdicts.ts';
import { threadOn } from '../../steps/conversations/new-conversation.ts';
import { placeMessage } from '../../steps/messages/post-message.ts';
import { append, heardIn } from '../../steps/facts/append.ts';
import { conversationLock, conversationWants, liesBefore, messageFor, mustSee, accessTo } from '../../steps/facts/conversation-access.ts';

export interface MessageCommands {
  'message.post': [
    {
      conversationId: string;
      body: string;
      replyTo?: string | undefined;
      attachmentIds: string[];
      /** The second confirmation of `^ALL`: how many it would wake. */
      confirmAll?: number | undefined;
      /** Other conversations in which the addressed agents may speak as well. */
      outputs?: string[] | undefined;
      /** The message's author waits until the addressed member has answered. */
      obligation?: DeclareObligation | undefined;
      /** Agents are not to wait with it, and one at work is interrupted (C2A-9). */
      urgent?: boolean | undefined;
      /** No more text follows, so agents begin at once (C2A-4). */
      done?: boolean | undefined;
    },
    { message: MessageRow },
  ];
  'message.edit': [
    { messageId: string; body: string; version?: number | undefined; confirmAll?: number | undefined },
    { message: MessageRow },
  ];
  'message.delete': [{ messageId: string }, { message: MessageRow }];
  'thread.open': [{ messageId: string }, { conversation: ConversationRow }];
}

const post: Handler<'message.post'> = {
  locks: (c) => [conversationLock(c.conversationId)],
  needs: (c) => [
    ...conversationWants(c.conversationId),
    wantBy('leaves', 'conversation', c.conversationId),
    ...compositionWants(c.conversationId),
    ...('memberId' in c.by
      ? [
          wantRow('memberships', c.conversationId, c.by.memberId),
          wantBy('tasks', 'here', c.conversationId, c.by.memberId, 1),
          blockWants(c.by.memberId),
        ]
      : []),
  ],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const { conversation, home, relations, historyCutoff } = accessTo(actor, c.conversationId, tx);
    mustSee(actor, relations);
    if (actor.type !== 'member')
      throw new ParleyError('forbidden', 'The operator is not a member and cannot speak.', { reason: 'message.post:operator' });
    require('message.post', actor, relations);
    if (home.archived_at !== null) throw new ParleyError('archived');
    const repliedTo = c.replyTo === undefined ? undefined : tx.get('messages', c.replyTo);
    if (c.replyTo !== undefined && (repliedTo?.conversation_id !== conversation.id || liesBefore(repliedTo.seq, historyCutoff))) {
      throw invalidField('replyTo', 'is not a message of this conversation');
    }
    const id = tx.ids.next('message');
    for (const attachmentId of c.attachmentIds) attach(attachmentId, id, actor.id, tx);
    const incoming = {
      conversation,
      home,
      author: { id: actor.id, kind: actor.kind },
      body: c.body,
      attachments: c.attachmentIds.length,
      replyTo: repliedTo,
      urgent: c.urgent === true,
      ...(c.done ? { piece: 'done' as const } : {}),
    };
    // The message is read before it is placed, because the fact that places it holds the verdicts.
    const reading = interpretMessage(incoming, tx, tx.now);
    const data = verdictData(verdictsOf(incoming, reading, tx));
    const message = placeMessage({ ...c, id, actor, conversation, home, data }, tx);
    if (c.urgent) tx.insert('urgent_messages', { message_id: id });
    wakeAgents(incoming, message, { confirmAll: c.confirmAll, outputs: grantable(c.outputs ?? [], actor, tx) }, tx, reading);
    if (c.obligation)
      oblige({ declared: c.obligation, authorId: actor.id, recipientId: addresseeOf(reading, incoming), message, taskId: null }, tx);
    return { message };
  },
};

/** A person lets an agent speak only where they may speak themselves. */
function grantable(outputs: string[], actor: Actor, set: WorkingSet): string[] {
  for (const id of outputs) {
    const { relations, home } = accessTo(actor, id, set);
    mustSee(actor, relations);
    require('message.post', actor, relations);
    if (home.archived_at !== null) throw new ParleyError('archived');
  }
  return outputs;
}

function attach(attachmentId: string, messageId: string, memberId: string, set: WorkingSet): void {
  const attachment = set.get('attachments', attachmentId);
  if (!attachment || attachment.uploaded_by !== memberId || attachment.erased_at !== null)
    throw invalidField('attachmentIds', `${attachmentId} is not one of your uploads`);
  if (attachment.message_id !== null) throw invalidField('attachmentIds', `${attachmentId} was posted already`);
  set.update('attachments', attachment, { message_id: messageId });
}

export function onMessage(c: { by: CommandOf<'message.edit'>['by']; messageId: string }, tx: Tx, actor: Actor = actorOf(c.by, tx, tx.now)) {
  const message = messageFor(c.messageId, tx);
  tx.lock(conversationLock(message.conversation_id));
  const place = accessTo(actor, message.conversation_id, tx);
  mustSee(actor, place.relations);
  if (liesBefore(message.seq, place.historyCutoff)) throw new ParleyError('not_found');
  if (message.deleted_at !== null) throw new ParleyError('already_deleted');
  const relations: Relation[] =
    message.author_id !== null && message.author_id === actorId(actor) ? [...place.relations, 'author'] : place.relations;
  return { actor, message, place, relations };
}

const edit: Handler<'message.edit'> = {
  needs: (c) => [
    wantRow('messages', c.messageId),
    wantBy('tasks', 'message', c.messageId),
    wantBy('task_words', 'message', c.messageId),
    wantRow('urgent_messages', c.messageId),
  ],
  decide: (c, tx) => {
    const { actor, message, place, relations } = onMessage(c, tx);
    require('message.edit', actor, relations);
    if (place.home.archived_at !== null) throw new ParleyError('archived');
    if (c.version !== undefined && c.version !== message.version)
      throw new ParleyError('version_conflict', 'The message was edited in between; read it again.');
    if (c.body === message.body) return { message };
    const at = message.edited_at ?? message.created_at;
    tx.insert('message_versions', { message_id: message.id, version: message.version, body: message.body, at });
    const edited = tx.update('messages', message, { body: c.body, version: message.version + 1, edited_at: tx.now });
    // An author who may no longer speak here can correct a message, and call nobody by it.
    const incoming =
      actor.type === 'member' && may('message.post', actor, relations).allowed
        ? {
            conversation: place.conversation,
            home: place.home,
            author: { id: actor.id, kind: actor.kind },
            body: c.body,
            attachments: (JSON.parse(message.attachments) as string[]).length,
            replyTo: message.reply_to === null ? undefined : tx.get('messages', message.reply_to),
            urgent: tx.get('urgent_messages', message.id) !== undefined,
            editedId: message.id,
          }
        : undefined;
    const edit = { message: { ...edited, author_id: actorId(actor) ?? '' }, before: message.body ?? '', confirmAll: c.confirmAll };
    const weighed = incoming && weighEdit(incoming, edit, tx, tx.now);
    append(tx, {
      type: 'message.edited',
      actor,
      ...heardIn(place.home.id),
      subject_id: message.id,
      data: { version: edited.version, ...(weighed ? verdictData(editVerdicts(incoming, weighed, tx)) : {}) },
    });
    if (weighed) applyEdit(incoming, edit, weighed, tx);
    return { message: edited };
  },
};

const remove: Handler<'message.delete'> = {
  needs: (c) => [
    wantRow('messages', c.messageId),
    wantBy('message_versions', 'message', c.messageId),
    wantBy('tasks', 'message', c.messageId),
    wantBy('turns', 'state', 'running'),
  ],
  decide: (c, tx) => {
    const { actor, message, place, relations } = onMessage(c, tx);
    require('message.delete', actor, relations);
    const deleted = eraseMessage(message, actorId(actor), tx);
    append(tx, { type: 'message.deleted', actor, scope: 'conversation', conversation_id: place.home.id, subject_id: message.id });
    return { message: deleted };
  },
};

const openThread: Handler<'thread.open'> = {
  needs: (c) => [wantRow('messages', c.messageId), wantBy('conversations', 'root', c.messageId)],
  decide: (c, tx) => {
    const { actor, message, place, relations } = onMessage(c, tx);
    const [existing] = tx.find('conversations', 'root', message.id);
    if (existing) return { conversation: existing };
    if (place.conversation.kind === 'thread') throw invalidField('messageId', 'is in a thread already; reply there');
    require('message.post', actor, relations);
    if (place.home.archived_at !== null) throw new ParleyError('archived');
    const conversation = threadOn(message, place.home, actor, tx);
    return { conversation };
  },
};

export const messageHandlers = { 'message.post': post, 'message.edit': edit, 'message.delete': remove, 'thread.open': openThread };

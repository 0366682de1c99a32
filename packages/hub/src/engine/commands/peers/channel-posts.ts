// A person's own action: their peer posts the agreed sentence to a channel, and takes it back when a later action fails (A2C-29).

import { wantRow } from '../../../store/port.ts';
import type { Actor } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { ConversationRow, MessageRow } from '../../../store/tables.ts';
import { type Handler, invalidField, mustBeSystem, require } from '../../command.ts';
import { borrowedWants } from '../../steps/departure/borrowed-access.ts';
import { eraseMessage } from '../../steps/departure/erase-message.ts';
import { append } from '../../steps/facts/append.ts';
import { accessTo, mustSee } from '../../steps/facts/conversation-access.ts';
import { placeMessage } from '../../steps/messages/post-message.ts';
import { asActor } from '../../steps/tasks/task-access.ts';
import { homeOf } from '../../steps/tasks/tasks.ts';
import type { WorkingSet } from '../../working-set.ts';
import { channelAudience, personOf } from './negotiations.ts';

export interface ChannelPostCommands {
  /** The channel as others read it in proposals. */
  'peer.channel': [{ conversationId: string }, { audience: string }];
  /** Once for its key. `audience`: as both people approved it. */
  'peer.post': [{ memberId: string; conversationId: string; audience: string; text: string }, { message: MessageRow }];
  'peer.unpost': [{ memberId: string; postKey: string }, void];
}

/** A channel in which the person may speak. `named`: the field that names it. */
export function mustSpeakIn(
  actor: Actor,
  conversationId: string,
  named: { field: string; isPublic: boolean },
  set: WorkingSet,
): ConversationRow {
  const { conversation, relations } = accessTo(actor, conversationId, set);
  mustSee(actor, relations);
  if (conversation.kind !== 'channel' || (named.isPublic && conversation.visibility !== 'public'))
    throw invalidField(named.field, named.isPublic ? 'must be a public channel' : 'must be a channel');
  require('message.post', actor, relations);
  if (conversation.archived_at !== null) throw new ParleyError('archived');
  return conversation;
}

/** The name of a private channel is for nobody outside, and its members change. */
const toRun = { field: 'run', isPublic: true };

const name: Handler<'peer.channel'> = {
  needs: (c) => [...borrowedWants(c.by), wantRow('settings', 'workspace.name')],
  decide: (c, tx) => ({
    audience: channelAudience(mustSpeakIn(asActor(personOf(c, tx)), c.conversationId, toRun, tx), tx),
  }),
};

const mostPosted = 2000;

const post: Handler<'peer.post'> = {
  needs: (c) => [wantRow('members', c.memberId), wantRow('settings', 'workspace.name')],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    if (member?.kind !== 'human' || member.status !== 'active') throw new ParleyError('not_found');
    const conversation = mustSpeakIn(asActor(member), c.conversationId, toRun, tx);
    if (channelAudience(conversation, tx) !== c.audience) throw invalidField('audience', 'is not what the channel is called now');
    const body = `${c.text.slice(0, mostPosted)} (@${member.handle})`;
    // The platform speaks, so it calls nobody, whatever the words are.
    const placed = { id: tx.ids.next('message'), actor: { type: 'platform' as const }, conversation, home: conversation, body };
    return { message: placeMessage(placed, tx) };
  },
};

const unpost: Handler<'peer.unpost'> = {
  needs: (c) => [wantRow('requests', 'operator', c.postKey)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const posted = tx.get('requests', 'operator', c.postKey);
    if (!posted) return;
    const message = tx.get('messages', posted.result);
    if (!message || message.deleted_at !== null) return;
    eraseMessage(message, null, tx);
    const conversation_id = homeOf(message.conversation_id, tx).id;
    append(tx, { type: 'message.deleted', scope: 'conversation', conversation_id, subject_id: message.id });
  },
};

export const channelPostHandlers = { 'peer.channel': name, 'peer.post': post, 'peer.unpost': unpost };

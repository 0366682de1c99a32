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
  /** How proposals name the channel to other people. */
  'peer.channel': [{ conversationId: string }, { audience: string }];
  /** The request key posts once. `audience` is the name of the channel that both people approved. */
  'peer.post': [{ memberId: string; conversationId: string; audience: string; text: string }, { message: MessageRow }];
  'peer.unpost': [{ postKey: string }, void];
}

/** A channel in which the person may speak. `source` names the field of the command in errors. */
export function mustSpeakIn(
  actor: Actor,
  conversationId: string,
  source: { field: string; mustBePublic: boolean },
  set: WorkingSet,
): ConversationRow {
  const { conversation, relations } = accessTo(actor, conversationId, set);
  mustSee(actor, relations);
  if (conversation.kind !== 'channel' || (source.mustBePublic && conversation.visibility !== 'public'))
    throw invalidField(source.field, source.mustBePublic ? 'must be a public channel' : 'must be a channel');
  require('message.post', actor, relations);
  if (conversation.archived_at !== null) throw new ParleyError('archived');
  return conversation;
}

/** People outside must not learn the name of a private channel, so the channel must be public. */
const runField = { field: 'run', mustBePublic: true };

const channel: Handler<'peer.channel'> = {
  needs: (c) => [...borrowedWants(c.by), wantRow('settings', 'workspace.name')],
  decide: (c, tx) => ({
    audience: channelAudience(mustSpeakIn(asActor(personOf(c, tx)), c.conversationId, runField, tx), tx),
  }),
};

/** Longer texts are cut. */
export const longestPost = 2000;

const post: Handler<'peer.post'> = {
  needs: (c) => [wantRow('members', c.memberId), wantRow('settings', 'workspace.name')],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    if (member?.kind !== 'human' || member.status !== 'active') throw new ParleyError('not_found');
    const conversation = mustSpeakIn(asActor(member), c.conversationId, runField, tx);
    if (channelAudience(conversation, tx) !== c.audience) throw invalidField('audience', 'is not what the channel is called now');
    const body = `${c.text.slice(0, longestPost)} (@${member.handle})`;
    // The platform is the author, so the words wake no agent.
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

export const channelPostHandlers = { 'peer.channel': channel, 'peer.post': post, 'peer.unpost': unpost };

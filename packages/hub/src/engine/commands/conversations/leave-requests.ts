// Asking an agent to leave, and letting it come back. Asking in words is heard in `heed`; the row is the same.

import { wantRow } from '../../../store/port.ts';
import { ParleyError } from '@parley/protocol';
import type { LeaveRow } from '../../../store/tables.ts';
import { type By, type Handler, invalidField, require, type Tx } from '../../command.ts';
import { askToLeave, comeBack } from '../../steps/attention/leave-requests.ts';
import { conversationLock, conversationWants, seeConversation } from '../../steps/facts/conversation-access.ts';
import { kindOf } from '../../steps/conversations/addressable-members.ts';

export interface LeaveCommands {
  'leave.ask': [{ conversationId: string; memberId: string }, { leave: LeaveRow }];
  'leave.undo': [{ conversationId: string; memberId: string }, void];
}

function placed(c: { by: By; conversationId: string; memberId: string }, tx: Tx) {
  const { actor, conversation, home, relations } = seeConversation(c, tx);
  require('conversation.dismiss', actor, relations);
  if (home.archived_at !== null) throw new ParleyError('archived');
  const agent = tx.get('members', c.memberId);
  if (agent?.kind !== 'agent' || agent.status !== 'active' || !tx.get('memberships', home.id, agent.id))
    throw invalidField('memberId', 'is not an agent in this conversation');
  return { actor, conversation, home, agent };
}

const ask: Handler<'leave.ask'> = {
  locks: (c) => [conversationLock(c.conversationId)],
  needs: (c) => [...conversationWants(c.conversationId), wantRow('members', c.memberId), wantRow('leaves', c.conversationId, c.memberId)],
  decide: (c, tx) => {
    const { actor, conversation, home, agent } = placed(c, tx);
    if (kindOf(home, tx) === 'dm') throw invalidField('conversationId', 'is a DM of two people, which nobody can leave');
    return { leave: askToLeave(agent, conversation, { actor, messageId: null }, tx) };
  },
};

const undo: Handler<'leave.undo'> = {
  locks: (c) => [conversationLock(c.conversationId)],
  needs: (c) => [...conversationWants(c.conversationId), wantRow('members', c.memberId)],
  decide: (c, tx) => {
    const { actor, conversation, agent } = placed(c, tx);
    comeBack(agent.id, conversation, actor, tx);
  },
};

export const leaveHandlers = { 'leave.ask': ask, 'leave.undo': undo };

// An agent's position in its mailbox, and the interval of its digests.

import { may, relationsToMember } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { seqOfFact, wantRow } from '../../../store/port.ts';
import type { MailboxRow } from '../../../store/tables.ts';
import { actorOf, type Handler, invalidField, memberFacts, require } from '../../command.ts';
import { putMailbox, setDigestTimer } from '../../steps/agents/mailbox-digests.ts';
import { aboutMember, agentLock, append } from '../../steps/facts/append.ts';
import { conversationWants, accessTo, seeConversation } from '../../steps/facts/conversation-access.ts';

export interface MailboxCommands {
  /** `lastSeq`: how far the stream goes; nobody has seen more. */
  'mailbox.seen': [{ conversationId: string; upTo: number; lastSeq: number }, { mailbox: MailboxRow }];
  'digest.set': [{ conversationId: string; memberId: string; everyMs: number | null }, { mailbox: MailboxRow }];
}

const markSeen: Handler<'mailbox.seen'> = {
  locks: (c) => ('memberId' in c.by ? [agentLock(c.by.memberId)] : []),
  needs: (c) => conversationWants(c.conversationId),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    if (actor.type !== 'member' || actor.kind !== 'agent')
      throw new ParleyError('forbidden', 'Only agents have a mailbox.', { reason: 'mailbox:not_an_agent' });
    const { home, membership, relations } = accessTo(actor, c.conversationId, tx);
    if (!membership || !may('conversation.read', actor, relations).allowed) throw new ParleyError('not_found');
    const whose = { conversation_id: home.id, member_id: actor.id };
    const before = tx.get('mailboxes', home.id, actor.id)?.seq ?? 0;
    // The cursor never moves back, and never past the last message: later messages are new.
    const seq = Math.max(before, Math.min(c.upTo, c.lastSeq));
    if (seq !== before) append(tx, { type: 'mailbox.seen', actor, member_id: actor.id, subject_id: home.id, data: { seq } });
    return { mailbox: putMailbox(whose, { seq }, tx) };
  },
};

const digest: Handler<'digest.set'> = {
  locks: (c) => [agentLock(c.memberId)],
  needs: (c) => [...conversationWants(c.conversationId), wantRow('members', c.memberId)],
  decide: (c, tx) => {
    const { actor, home, relations } = seeConversation(c, tx);
    const agent = tx.get('members', c.memberId);
    if (agent?.kind !== 'agent' || agent.status !== 'active' || !tx.get('memberships', home.id, agent.id))
      throw invalidField('memberId', 'is not an agent in this conversation');
    require('digest.set', actor, [...relations, ...relationsToMember(actor, memberFacts(agent))]);
    const whose = { conversation_id: home.id, member_id: agent.id };
    const before = tx.get('mailboxes', home.id, agent.id)?.digest_ms ?? null;
    if (before === c.everyMs) return { mailbox: putMailbox(whose, {}, tx) };
    const fact = append(tx, {
      type: 'digest.set',
      actor,
      conversation_id: home.id,
      ...aboutMember(agent.id),
      data: { everyMs: c.everyMs },
    });
    // The first digest covers the messages since it was wanted.
    const mailbox = putMailbox(whose, { digest_ms: c.everyMs, ...(before === null ? { digest_seq: seqOfFact(fact) } : {}) }, tx);
    setDigestTimer(mailbox, tx);
    return { mailbox };
  },
};

export const mailboxHandlers = { 'mailbox.seen': markSeen, 'digest.set': digest };

// A member's read cursor, and the record of a look into a conversation from outside.

import { wantRow } from '../../../store/port.ts';
import { may } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { actorOf, type Handler, storedActor } from '../../command.ts';
import { auditedFact, putAudit } from '../../steps/facts/audit-entries.ts';
import { append } from '../../steps/facts/append.ts';
import { conversationWants, accessTo } from '../../steps/facts/conversation-access.ts';

export interface ReadCommands {
  'read.move': [{ conversationId: string; seq: number; lastSeq: number }, { readSeq: number }];
  /** SYS-11: who reads a DM of agents from outside leaves a record, before they are shown anything. */
  'conversation.observed': [{ conversationId: string }, void];
}

const move: Handler<'read.move'> = {
  locks: (c) => ('memberId' in c.by ? [`read:${c.conversationId}:${c.by.memberId}`] : []),
  needs: (c) => [
    ...conversationWants(c.conversationId),
    ...('memberId' in c.by ? [wantRow('reads', c.conversationId, c.by.memberId)] : []),
  ],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const { conversation, relations } = accessTo(actor, c.conversationId, tx);
    if (actor.type !== 'member' || !may('conversation.read', actor, relations).allowed) throw new ParleyError('not_found');
    const row = tx.get('reads', conversation.id, actor.id);
    // The cursor never moves back, and never past the last message: two devices that disagree end at the later one.
    const seq = Math.max(row?.seq ?? 0, Math.min(c.seq, c.lastSeq));
    if (seq === (row?.seq ?? 0)) return { readSeq: seq };
    if (row) tx.update('reads', row, { seq });
    else tx.insert('reads', { conversation_id: conversation.id, member_id: actor.id, seq });
    append(tx, { type: 'read.moved', actor, scope: 'member', member_id: actor.id, subject_id: conversation.id, data: { seq } });
    return { readSeq: seq };
  },
};

const observed: Handler<'conversation.observed'> = {
  needs: (c) => conversationWants(c.conversationId),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const { conversation, relations } = accessTo(actor, c.conversationId, tx);
    if (!may('conversation.read', actor, relations).allowed) throw new ParleyError('not_found');
    const fact = append(tx, {
      type: 'conversation.observed',
      actor,
      conversation_id: conversation.id,
      subject_id: conversation.id,
      data: auditedFact,
    });
    const entry = { id: tx.ids.next('audit'), kind: 'read', actorId: storedActor(actor), forId: null, outcome: 'done' } as const;
    const where = { name: 'read', subjectId: conversation.id, conversationId: conversation.id, chainId: null, input: {} };
    putAudit({ ...entry, ...where }, fact, tx);
  },
};

export const readHandlers = { 'read.move': move, 'conversation.observed': observed };

// A person answers what waits for them.

import type { Relation } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { CheckpointRow } from '../../store/tables.ts';
import { actorId, actorOf, byWants, type Handler, invalid, require } from '../command.ts';
import { answerApproval } from '../steps/approve.ts';
import { choicesFor, close, inboxLock } from '../steps/checkpoints.ts';

export interface CheckpointCommands {
  'checkpoint.close': [{ checkpointId: string; choice: string }, { checkpoint: CheckpointRow; already: boolean }];
}

const closeOne: Handler<'checkpoint.close'> = {
  locks: () => [],
  needs: (c) => [...byWants(c.by), { table: 'checkpoints', values: [c.checkpointId] }],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    const row = set.get('checkpoints', c.checkpointId);
    if (!row) throw new ParleyError('not_found', 'There is no such checkpoint.');
    context.lock(inboxLock(row.member_id));
    const relations: Relation[] = row.member_id === actorId(actor) ? ['self'] : [];
    require('checkpoint.close', actor, relations);
    const choices = choicesFor(row);
    if (!Object.hasOwn(choices, c.choice)) throw invalid('choice', `must be one of ${Object.keys(choices).join(', ')}`);
    // Answered is answered: a second tap, or another device, changes nothing.
    if (row.open === 0) return { checkpoint: row, already: true };
    if (row.kind === 'approval') answerApproval(row, c.choice, actor, set, context);
    return { checkpoint: close(row, actorId(actor), c.choice, set, context), already: false };
  },
};

export const checkpointHandlers = { 'checkpoint.close': closeOne };

// Saying how it stands with what one owes, and that what one waited for is settled.

import { wantRow } from '../../../store/port.ts';
import type { Signal } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { ObligationRow } from '../../../store/tables.ts';
import { actorOf, type By, type Handler, type Tx } from '../../command.ts';
import { dischargeRow, obligationLock, stepRow } from '../../steps/obligations/obligations.ts';

export interface ObligationCommands {
  'obligation.signal': [{ obligationId: string; signal: Signal }, { obligation: ObligationRow }];
  'obligation.discharge': [{ obligationId: string }, { obligation: ObligationRow }];
}

/** To all whom it does not concern it does not exist. */
function concerned(c: { by: By; obligationId: string }, tx: Tx): { row: ObligationRow; me: string } {
  const actor = actorOf(c.by, tx, tx.now);
  const row = tx.get('obligations', c.obligationId);
  const parties = row ? [row.author_id, row.delegate_id, row.recipient_id, row.holder_id] : [];
  if (!row || actor.type !== 'member' || !parties.includes(actor.id)) throw new ParleyError('not_found', 'There is no such obligation.');
  return { row, me: actor.id };
}

const needs = (c: { by: By; obligationId: string }) => [wantRow('obligations', c.obligationId)];

const signal: Handler<'obligation.signal'> = {
  locks: (c) => [obligationLock(c.obligationId)],
  needs,
  decide: (c, tx) => {
    const { row, me } = concerned(c, tx);
    return { obligation: stepRow(row, { type: 'signal', by: me, signal: c.signal, now: tx.now }, tx) };
  },
};

const discharge: Handler<'obligation.discharge'> = {
  locks: (c) => [obligationLock(c.obligationId)],
  needs,
  decide: (c, tx) => {
    const { row, me } = concerned(c, tx);
    return { obligation: dischargeRow(row, me, tx) };
  },
};

export const obligationHandlers = { 'obligation.signal': signal, 'obligation.discharge': discharge };

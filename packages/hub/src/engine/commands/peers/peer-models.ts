// The budget of a person's peer at the hub's model: reserved before a question, settled after it.

import { type Amount } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { type Handler, mustBeSystem } from '../../command.ts';
import { reserveModel, settleModel } from '../../steps/budget/peer-model-budget.ts';

export interface PeerModelCommands {
  /** `at`: of the day on which the question began. Answers with it. */
  'peer.reserve_model': [{ memberId: string; amount: Amount; at?: number }, { at: number }];
  'peer.settle_model': [{ memberId: string; at: number; reserved: number; spent: number }, Record<string, never>];
}

const reserve: Handler<'peer.reserve_model'> = {
  needs: (c) => [{ table: 'members', values: [c.memberId] }],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    if (member?.kind !== 'human' || member.status !== 'active') throw new ParleyError('not_found');
    const { at = tx.now } = c;
    const exhausted = reserveModel(member, c.amount, at, tx);
    if (exhausted) throw new ParleyError('budget_exhausted', undefined, { reason: exhausted });
    return { at };
  },
};

const settle: Handler<'peer.settle_model'> = {
  needs: (c) => [{ table: 'members', values: [c.memberId] }],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    // A reservation of somebody who was erased stays until the day ends.
    if (member) settleModel(member, c.at, c.reserved, c.spent, tx);
    return {};
  },
};

export const peerModelHandlers = { 'peer.reserve_model': reserve, 'peer.settle_model': settle };

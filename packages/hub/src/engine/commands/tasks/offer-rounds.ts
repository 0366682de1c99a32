// Answers to an offer: an agent claims it, or passes it on.

import { isAnyones, isOpen } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import { agentIdOf, type Handler } from '../../command.ts';
import { agentLock } from '../../steps/facts/append.ts';
import { passOffer } from '../../steps/offers/claims.ts';
import { passRound, takeRound } from '../../steps/offers/round-claims.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import { agentActing, isHalted, seesTask, taskFor } from '../../steps/tasks/task-access.ts';
import { type BegunTask, start } from './tasks.ts';

export interface RoundCommands {
  /** Makes the task, and begins it. */
  'round.claim': [{ messageId: string; agentId?: string }, BegunTask];
  'round.pass': [{ messageId: string; agentId?: string; /** The agent wants the offer, and cannot take it. */ unable?: boolean }, void];
}

const claim: Handler<'round.claim'> = {
  locks: (c) => [agentLock(agentIdOf(c) ?? '')],
  needs: (c) => [...runningWants, wantRow('messages', c.messageId), wantRow('rounds', c.messageId)],
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    const task = takeRound(agent, c.messageId, tx);
    if (isHalted(tx)) throw new ParleyError('halted');
    return start(task, agent, { claimed: true }, tx);
  },
};

const pass: Handler<'round.pass'> = {
  needs: (c) => [
    ...runningWants,
    wantRow('messages', c.messageId),
    wantRow('rounds', c.messageId),
    wantBy('tasks', 'message', c.messageId),
  ],
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    const offered = tx
      .find('tasks', 'message', c.messageId)
      .filter((task) => task.agent_id === null && isAnyones(task.addressed_by) && isOpen(task.state) && seesTask(task, agent.id, tx));
    if (offered.length === 0) passRound(agent, c.messageId, c.unable === true, tx);
    if (offered.length > 0 && isHalted(tx)) throw new ParleyError('halted');
    for (const { id } of offered) {
      const task = taskFor(id, tx);
      passOffer(task, agent.id, tx);
    }
  },
};

export const roundHandlers = { 'round.claim': claim, 'round.pass': pass };

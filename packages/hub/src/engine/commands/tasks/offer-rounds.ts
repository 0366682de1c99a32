// An agent's answers in an offer round: it claims, or passes.

import { ParleyError } from '@parley/protocol';
import { agentIdOf, type Handler } from '../../command.ts';
import { agentLock } from '../../steps/facts/append.ts';
import { passRound, takeRound } from '../../steps/offers/round-claims.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import { agentActing, isHalted } from '../../steps/tasks/task-access.ts';
import { type BegunTask, start } from './tasks.ts';

export interface RoundCommands {
  /** Makes the task, and begins it. */
  'round.claim': [{ messageId: string; agentId?: string }, BegunTask];
  'round.pass': [{ messageId: string; agentId?: string; /** It would, and cannot. */ unable?: boolean }, Record<string, never>];
}

const claim: Handler<'round.claim'> = {
  locks: (c) => [agentLock(agentIdOf(c) ?? '')],
  needs: (c) => [...runningWants, { table: 'messages', values: [c.messageId] }, { table: 'rounds', values: [c.messageId] }],
  decide: (c, set, context) => {
    const agent = agentActing(c.by, c.agentId, set, context);
    const task = takeRound(agent, c.messageId, set, context);
    if (isHalted(set)) throw new ParleyError('halted');
    return start(task, agent, { claimed: true }, set, context);
  },
};

const pass: Handler<'round.pass'> = {
  needs: (c) => [...runningWants, { table: 'messages', values: [c.messageId] }, { table: 'rounds', values: [c.messageId] }],
  decide: (c, set, context) => {
    passRound(agentActing(c.by, c.agentId, set, context), c.messageId, c.unable === true, set, context);
    return {};
  },
};

export const roundHandlers = { 'round.claim': claim, 'round.pass': pass };

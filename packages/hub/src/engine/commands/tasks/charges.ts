// A step that was cut off has cost something all the same (SYS-10): it is charged when its turn is nobody's any more, too.

import type { StepOutcome } from '../../../brains/brain.ts';
import type { Handler } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';
import { chainLock } from '../../steps/tasks/tasks.ts';
import { charge } from '../../steps/budget/turn-budget.ts';

export interface ChargeCommands {
  /** By the platform, and under no lease: losing the turn does not make it free. */
  'turn.cut_off': [{ taskId: string; turnId: string; n: number; known: StepOutcome }, Record<string, never>];
}

const cutOff: Handler<'turn.cut_off'> = {
  needs: (c) => [
    { table: 'tasks', values: [c.taskId] },
    { table: 'turns', values: [c.turnId] },
  ],
  decide: (c, tx) => {
    const [task, turn] = [tx.get('tasks', c.taskId), tx.get('turns', c.turnId)];
    if (!task || !turn) return {};
    tx.lock(chainLock(task.chain_id));
    const { micros, tokens, estimated } = c.known;
    charge(task, turn, micros, tx);
    append(tx, {
      type: 'turn.cut_off',
      member_id: turn.agent_id,
      subject_id: task.id,
      chain_id: task.chain_id,
      data: { turn: turn.id, n: c.n, micros, ...tokens, estimated },
    });
    return {};
  },
};

export const chargeHandlers = { 'turn.cut_off': cutOff };

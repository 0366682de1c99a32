// Commands of agents and people about tasks, besides words: take them, wait in them, stop them. Redirects are in
// redirects.ts.

import { isOpen, type NotesForTurn, type BudgetKind } from '@parley/core';
import { type FailureCode, ParleyError } from '@parley/protocol';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow, MessageRow, TaskRow, TurnRow } from '../../../store/tables.ts';
import { agentIdOf, type Handler, type Tx } from '../../command.ts';
import { redirectTask } from './redirects.ts';
import { answeredIn } from '../../steps/approvals/approvals.ts';
import { isContact, deliverNext, untoldWants } from '../../steps/tasks/callbacks.ts';
import { takeTask } from '../../steps/offers/claims.ts';
import { agentLock } from '../../steps/facts/append.ts';
import { endForBudget, agentOf, endTask, moveTask, runChain, settleChain, taskFact } from '../../steps/tasks/tasks.ts';
import { hold, isAskedInVain, waitsFor } from '../../steps/tasks/pending-work.ts';
import { giveNotes } from '../../steps/tasks/notes.ts';
import { mustMayStop, agentActing, heldTask, isHalted, taskFor, taskWants } from '../../steps/tasks/task-access.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import { beginTurn, endTurns } from '../../steps/budget/turn-budget.ts';
import { windowOf } from '../../steps/messages/composing-windows.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface TaskCommands {
  /** An agent takes a task: claims it if nobody has it, and begins, or goes on with what another runner left. */
  'task.begin': [
    {
      taskId: string;
      agentId?: string;
      /** Only for a task that the agent already has: not when somebody has begun it meanwhile, or the agent lost it. */ ifQueued?: boolean;
      /** Not before this one, which came before it. */ behind?: string | undefined;
      /** The most that the turn of a hub agent can cost: reserved before it begins. */ micros?: number;
    },
    BegunTask,
  ];
  /** The turn ends while its sub-tasks go on. */
  'task.pause': [{ taskId: string; lease: number; agentId?: string }, { task: TaskRow }];
  /** The turn ends and another begins: the requester said more meanwhile. */
  'task.yield': [{ taskId: string; lease: number; agentId: string }, { task: TaskRow }];
  /** The notes that a turn may be given, tagged in the moment they are. `reaching`: tools that hand on without approval. */
  'task.note': [{ taskId: string; lease: number; agentId: string; reaching: string[] }, NotesForTurn];
  /** The brain failed: the requester gets a notice, with the reason if there is one, in the platform's own words. */
  'task.fail': [
    { taskId: string; lease: number; agentId: string; reason?: string | undefined; failure?: FailureCode | undefined },
    { task: TaskRow },
  ];
  'task.stop': [{ taskId: string }, { task: TaskRow }];
  'task.redirect': [{ taskId: string; instruction: string; agentId?: string | undefined }, { task: TaskRow; message: MessageRow }];
}

/** Each of these would be missed by itself, with a round to the database for it: after a restart thousands are begun at once. */
export const beginWants = (taskId: string, agentId: string | undefined): Want[] => [
  wantRow('windows', taskId),
  wantBy('turns', 'task', taskId, 'running'),
  ...(agentId === undefined ? [] : [wantRow('members', agentId), wantRow('agents', agentId), wantBy('tasks', 'agent', agentId, 1)]),
];
export const chainWants = (task: TaskRow): Want[] => [wantRow('conversations', task.conversation_id), wantRow('chains', task.chain_id)];

const begin: Handler<'task.begin'> = {
  // How many it is at already is counted: two hubs must not both find room for one more.
  locks: (c) => [agentLock(agentIdOf(c) ?? '')],
  needs: (c) => {
    // The rows that it has are among all that it needs.
    const wants = c.ifQueued ? runningWants : taskWants(c.taskId);
    return [...wants, ...untoldWants(c.taskId), ...beginWants(c.taskId, agentIdOf(c))];
  },
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    const before = taskFor(c.taskId, tx);
    tx.need(chainWants(before));
    // The task was this agent's when the hub looked, and is offered to several by now: the hub claims nothing in the
    // agent's name.
    if (c.ifQueued && before.agent_id === null) throw new ParleyError('not_offered');
    const task = takeTask(before, agent, tx);
    if (isHalted(tx)) throw new ParleyError('halted');
    if (task.state !== 'queued' && task.state !== 'active') throw new ParleyError('task_not_active');
    if (c.ifQueued && task.state !== 'queued') throw new ParleyError('already_claimed');
    if (windowOf(task, tx)) throw new ParleyError('composing');
    if (c.behind !== undefined && isQueuedFor(agent, c.behind, tx)) throw new ParleyError('agent_busy');
    const micros = 'memberId' in c.by ? 0 : (c.micros ?? 0);
    return start(task, agent, { claimed: before.agent_id === null, micros }, tx);
  },
};

function isQueuedFor(agent: MemberRow, taskId: string, set: WorkingSet): boolean {
  const task = set.get('tasks', taskId);
  return task?.state === 'queued' && task.agent_id === agent.id;
}

const isAsk = (task: TaskRow, set: WorkingSet): boolean => isContact(task) && set.get('contacts', task.id)?.action === 'ask';

/** The task with its turn, or ended because that budget was exhausted. */
export type BegunTask = { task: TaskRow; turn: TurnRow; exhausted?: never } | { task: TaskRow; turn: null; exhausted: BudgetKind };

/** A turn of it begins. `claimed`: it was anybody's until this moment. */
export function start(task: TaskRow, agent: MemberRow, { claimed, micros = 0 }: { claimed: boolean; micros?: number }, tx: Tx): BegunTask {
  const atOnce = tx
    .find('tasks', 'agent', agent.id, 1)
    .filter((other) => other.id !== task.id && other.state === 'active' && other.conversation_id === task.conversation_id)
    // Somebody waits in the call: an ask runs beside whatever else there is (IAC-5), and holds up nothing.
    .filter((other) => other.addressed_by !== 'agent_ask');
  const { brain, max_concurrent: most } = agentOf(agent.id, tx);
  // Urgent words wait behind no work (C2A-9): one task more than usual.
  const places = task.mode === 'immediate' ? most + 1 : most;
  if (atOnce.length >= places && !isAsk(task, tx)) throw new ParleyError('agent_busy');
  const startedTask = beginTurn(task, task.lease + 1, { turns: 1, micros }, tx);
  if ('exhausted' in startedTask) {
    // Anyone's task is not ended by one agent that may not: another can take it.
    if (claimed && startedTask.exhausted !== 'chain')
      throw new ParleyError('budget_exhausted', undefined, { reason: startedTask.exhausted });
    return { task: endForBudget(task, startedTask.exhausted, tx), turn: null, exhausted: startedTask.exhausted };
  }
  const { lease } = startedTask.turn;
  if (task.state === 'queued') deliverNext(moveTask(task, 'begin', { lease }, tx, { lease }), tx);
  else {
    // A turn inside the hub goes on by its journal: it gets its first context, and no later message.
    const data = brain === 'remote' ? { lease } : { lease, again: true as const };
    taskFact('task.begin', tx.update('tasks', task, { lease, updated_at: tx.now }), tx, data);
  }
  runChain(task.chain_id, tx);
  return { task: tx.get('tasks', task.id)!, turn: startedTask.turn };
}

const pause: Handler<'task.pause'> = {
  needs: (c) => [...taskWants(c.taskId), wantBy('tasks', 'parent', c.taskId, 1)],
  decide: (c, tx) => {
    const task = heldTask(c, tx);
    // An `ask` is awaited in the call, and answered there: nothing of it would ever resume the task.
    const subTasks = tx.find('tasks', 'parent', task.id, 1).filter((child) => !isAsk(child, tx));
    const heldBy = waitsFor(task, tx);
    if (heldBy && !isAskedInVain(task, tx)) return { task: hold(task, heldBy, tx) };
    if (subTasks.length > 0 && subTasks.every((child) => child.state === 'waiting'))
      throw new ParleyError('task_not_active', 'One of its sub-tasks is waiting for its answer.');
    const [turn] = tx.find('turns', 'task', task.id, 'running');
    const came =
      answeredIn(task, tx) ||
      tx.find('tasks', 'parent', task.id, 0).some((child) => turn !== undefined && (child.ended_at ?? 0) >= turn.started_at);
    // A task that waits for nothing would begin again and again.
    if (subTasks.length === 0 && !came)
      throw new ParleyError('invalid_request', 'There is nothing to wait for: the task has no open sub-task.');
    endTurns(task.id, tx);
    // The awaited result came before the pause: the task goes on at once, in a new turn.
    const paused = moveTask(task, subTasks.length === 0 ? 'yield' : 'pause', {}, tx);
    settleChain(task.chain_id, tx);
    return { task: paused };
  },
};

const yieldTask: Handler<'task.yield'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => {
    const task = heldTask(c, tx);
    endTurns(task.id, tx, 'interrupted');
    return { task: moveTask(task, 'yield', {}, tx) };
  },
};

const note: Handler<'task.note'> = {
  needs: (c) => [...taskWants(c.taskId), wantRow('identities', c.agentId)],
  decide: (c, tx) => giveNotes(heldTask(c, tx), tx.get('members', c.agentId)!, c.reaching, tx),
};

const fail: Handler<'task.fail'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => ({
    task: endTask(
      heldTask(c, tx),
      {
        state: 'failed',
        cause: 'brain_failed',
        ...(c.reason === undefined ? {} : { reason: c.reason }),
        ...(c.failure === undefined ? {} : { failure: c.failure }),
      },
      tx,
    ),
  }),
};

const stop: Handler<'task.stop'> = {
  needs: (c) => taskWants(c.taskId),
  decide: (c, tx) => {
    const task = taskFor(c.taskId, tx);
    const { actor } = mustMayStop(c.by, task, tx);
    if (!isOpen(task.state)) throw new ParleyError('task_over');
    return { task: endTask(task, { state: 'cancelled', cause: 'stopped', by: actor.type === 'member' ? actor.id : null }, tx) };
  },
};

export const taskHandlers = {
  'task.begin': begin,
  'task.pause': pause,
  'task.yield': yieldTask,
  'task.note': note,
  'task.fail': fail,
  'task.stop': stop,
  'task.redirect': redirectTask,
};

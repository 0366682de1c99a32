// The rows of tasks and of their chains. `core` decides which moves a task may make; these steps open, end and time out
// tasks, append the facts, and pass the outcome to parent and child tasks.

import { type EndState, isOpen, type TaskEvent, type BudgetKind } from '@parley/core';
import type { FailureCode, TaskCause } from '@parley/protocol';
import type { FactData } from '../../../store/fact-data.ts';
import { seqOfFact, wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endApprovals } from '../approvals/approvals.ts';
import { callerOf, passQuestion, callBack, recordForWaker, contactWants, dropContact, isContact, outlivesParent } from './callbacks.ts';
import { agentOf, type ChainStart, chainLock, homeOf, homesOf, isHere, newChain, settleChain, waitTimer } from './chains.ts';
import {
  endComposition,
  startComposition,
  type ComposingWait,
  dropWindow,
  startWindow,
  windowWants,
} from '../messages/composing-windows.ts';
import { dropNegotiations, negotiationWants } from './negotiations.ts';
import { moveTask, notifyRequester, taskFact, taintTask } from './transitions.ts';
import { append, heardIn, aboutTask } from '../facts/append.ts';
import { dropCalls, endTurns } from '../budget/turn-budget.ts';
import { runningWants } from '../facts/timers.ts';

export {
  agentOf,
  chainLock,
  homeOf,
  isAsleep,
  isHere,
  isPaused,
  pausedOnline,
  runChain,
  runsInHub,
  settleChain,
  timeLeft,
} from './chains.ts';
export { moveTask, setWaiting, taskFact } from './transitions.ts';

export interface NewTask extends ChainStart {
  /** Set when the request already names the task. */
  id?: string;
  /** Null: any agent may take the task. */
  agentId: string | null;
  home: ConversationRow;
  addressedBy: TaskRow['addressed_by'];
  mode: TaskRow['mode'];
  outputs?: string[];
  /** The chain and, for a delegated task, the parent. Left out, the task begins a chain. */
  within?: { chainId: string; parent: TaskRow | undefined };
  /** For a reminder, which has a chain of its own: the depth of the task it reminds of, and the agents above the one that waits. */
  after?: { depth: number; path: string[] } | undefined;
  /** The composing window, while the requester may still be writing. Left out, the task begins at once and no fragment joins it. */
  window?: ComposingWait | undefined;
}

export function openTask(input: NewTask, tx: Tx): TaskRow {
  const { agentId, within, here } = input;
  const window = input.window?.piece === 'done' ? undefined : input.window;
  const parent = within?.parent;
  const chain = within ? tx.get('chains', within.chainId)! : newChain(input, tx);
  if (within) tx.update('chains', chain, { tasks: chain.tasks + 1 });
  const origin = parent ? { depth: parent.depth, path: JSON.parse(parent.path) as string[] } : input.after;
  const path = [...(origin?.path ?? []), ...(agentId === null ? [] : [agentId])];
  const id = input.id ?? tx.ids.next('task');
  const fact = append(tx, {
    type: 'task.opened',
    ...heardIn(input.home.id),
    member_id: agentId,
    subject_id: id,
    chain_id: chain.id,
    data: { message: input.messageId },
  });
  const task: TaskRow = {
    id,
    seq: seqOfFact(fact),
    chain_id: chain.id,
    parent_id: parent?.id ?? null,
    agent_id: agentId,
    requester_id: input.requesterId,
    conversation_id: input.conversation.id,
    message_id: input.messageId,
    state: agentId === null && here && !window ? 'offered' : 'queued',
    open: 1,
    cause: null,
    addressed_by: input.addressedBy,
    mode: input.mode,
    depth: origin ? origin.depth + 1 : 0,
    path: JSON.stringify(path),
    outputs: JSON.stringify(input.outputs ?? []),
    lease: 0,
    answer_id: null,
    asked_in: null,
    waiting_since: here ? null : tx.now,
    created_at: tx.now,
    updated_at: tx.now,
    ended_at: null,
  };
  tx.insert('tasks', task);
  // The request's author is another member than the chain's requester: an agent, or a person who redirected the task.
  if (parent || chain.requester_id !== input.requesterId) tx.insert('taints', { task_id: id, kind: 'member', at: tx.now });
  if (!here) waitTimer(task, tx.get('chains', chain.id)!, tx);
  if (window) startWindow(task, window, tx, { fresh: true });
  if (input.window) startComposition(task, input.conversation.id, tx, true);
  return task;
}

const endings: Record<EndState, TaskEvent> = {
  completed: 'complete',
  failed: 'fail',
  declined: 'decline',
  timed_out: 'time_out',
  cancelled: 'cancel',
};
/** The platform's notices to the requester. Answered and declined tasks need none: the agent's own words arrive. */
const noticeKinds = { failed: 'task_failed', timed_out: 'task_timed_out', cancelled: 'task_stopped' } as const;

interface FailureDetails {
  /** The reason in the platform's words. */
  reason?: string;
  failure?: FailureCode;
}

export interface TaskEnding extends FailureDetails {
  state: EndState;
  cause: TaskCause;
  answerId?: string;
  /** The member who ended the task, and who needs no notice of it. */
  by?: string | null;
  /** The task ends together with its parent, which reports to the requester. */
  withParent?: boolean;
}

/** Ends a task and all of its sub-tasks, and notifies the requester once. */
export function endTask(task: TaskRow, ending: TaskEnding, tx: Tx): TaskRow {
  const { state, cause, answerId, withParent = false } = ending;
  if (!isOpen(task.state)) return task;
  if (!withParent) gatherTasks([task, ...tx.find('tasks', 'chain', task.chain_id, 1)], tx);
  // A chain runs out of time as a whole. A task that ends for another reason no longer wants its sub-tasks.
  const childEnding: TaskEnding = state === 'timed_out' ? { state, cause } : { state: 'cancelled', cause: 'parent_ended' };
  for (const child of tx.find('tasks', 'parent', task.id, 1)) {
    if (outlivesParent(child, state, tx)) continue;
    endTask(child, { ...childEnding, withParent: true }, tx);
  }
  dropWindow(task, tx);
  endComposition(task, tx);
  endApprovals(task.id, tx);
  // A task can be completed only when none of its negotiations is open.
  if (state !== 'completed') dropNegotiations(task, tx);
  const ended = moveTask(
    tx.get('tasks', task.id)!,
    endings[state],
    { open: 0, cause, ended_at: tx.now, ...(answerId === undefined ? {} : { answer_id: answerId }) },
    tx,
    { cause, ...failureDetails(ending) },
  );
  endTurns(task.id, tx);
  dropCalls(task.id, tx);
  if (withParent) dropContact(ended, tx);
  else reportEnd(ended, ending, tx);
  settleChain(task.chain_id, tx);
  return ended;
}

const failureDetails = ({ reason, failure }: FailureDetails): FailureDetails => ({
  ...(reason === undefined ? {} : { reason }),
  ...(failure === undefined ? {} : { failure }),
});

/** Passes the outcome to the parent task, or notifies the requester of a task without one. */
function reportEnd(task: TaskRow, ending: TaskEnding, tx: Tx): void {
  if (task.parent_id !== null) {
    const parent = tx.get('tasks', task.parent_id)!;
    if (isOpen(parent.state)) passToParent(parent, task, tx);
    else dropContact(task, tx);
    return;
  }
  const kind = task.cause === 'nobody_took_it' ? task.cause : noticeKinds[task.state as keyof typeof noticeKinds];
  // The member who ended the task knows of it.
  if (kind === undefined || task.requester_id === (ending.by ?? null)) return;
  const agent = task.agent_id === null ? {} : { agent: task.agent_id };
  notifyRequester(task, kind, tx, { reason: task.cause!, ...failureDetails(ending), ...agent });
}

/** A sub-task has ended or asks a question: the parent gets that, and resumes if it waited. */
function passToParent(parent: TaskRow, child: TaskRow, tx: Tx, question: string | null = null): void {
  if (child.agent_id !== null) taintTask(parent, { kind: 'member', id: child.agent_id }, tx);
  if (isContact(child)) return isOpen(child.state) ? passQuestion(parent, child, question, tx) : callBack(parent, child, tx);
  recordForWaker(child, tx);
  const data = { child: child.id, state: child.state };
  if (parent.state === 'awaiting_delegation' || parent.state === 'awaiting_approval') moveTask(parent, 'resume', {}, tx, data);
  else taskFact('task.result', parent, tx, data);
}

/** The task waits for its requester. The parent of a sub-task gets the question and can answer it. */
export function askRequester(task: TaskRow, askedIn: string | null, tx: Tx, data: FactData['task.ask']): void {
  const waiting = moveTask(task, 'ask', { asked_in: askedIn }, tx, data);
  const parent = task.parent_id === null ? undefined : tx.get('tasks', task.parent_id);
  if (parent && isOpen(parent.state)) passToParent(parent, waiting, tx, 'message' in data ? data.message : null);
  // The task that made the contact has ended and cannot answer.
  else if (isContact(waiting)) endTask(waiting, { state: 'cancelled', cause: 'parent_ended' }, tx);
  settleChain(task.chain_id, tx);
}

/** Ends all open tasks of a chain whose run time is over, or that has reached the limit of any chain. */
export function endChain(chainId: string, limit: 'run_time' | 'outer_limit', tx: Tx): void {
  tx.lock(chainLock(chainId));
  gatherTasks(tx.find('tasks', 'chain', chainId, 1), tx);
  for (const { id } of tx.find('tasks', 'chain', chainId, 1).toSorted((a, b) => a.depth - b.depth)) {
    const task = tx.get('tasks', id)!;
    endTask(task, { state: 'timed_out', cause: limit === 'run_time' ? limit : waitCause(task, tx) }, tx);
  }
}

/** Ends a task that has waited for as long as any task may, while its chain may go on. */
export function endWait(taskId: string, tx: Tx): void {
  const task = tx.get('tasks', taskId);
  if (!task || !isOpen(task.state) || task.waiting_since === null) return;
  tx.lock(chainLock(task.chain_id));
  endTask(task, { state: 'timed_out', cause: waitCause(task, tx) }, tx);
}

function waitCause(task: TaskRow, set: WorkingSet): TaskCause {
  if (task.state === 'waiting') return 'waited_too_long';
  const isAway = task.agent_id === null ? task.state === 'queued' : !isHere(agentOf(task.agent_id, set));
  return isAway ? 'offline' : 'outer_limit';
}

/** The states of turns whose journals still have entries. */
const turnStates = ['running', 'interrupted', 'done'] as const;

/** Loads the rows of all these tasks in a few rounds. Without it, each row would be found missing on its own. */
export function gatherTasks(tasks: readonly TaskRow[], tx: Tx): void {
  if (tasks.length === 0) return;
  tx.lock(...tasks.map((task) => chainLock(task.chain_id)));
  tx.need([
    ...runningWants,
    ...tasks.flatMap((task) => [
      wantRow('conversations', task.conversation_id),
      wantRow('chains', task.chain_id),
      wantBy('tags', 'chain', task.chain_id),
      wantBy('tasks', 'chain', task.chain_id, 1),
      wantBy('tasks', 'parent', task.id, 1),
      ...turnStates.map((state) => wantBy('turns', 'task', task.id, state)),
      wantRow('forgotten_calls', task.id),
      wantBy('approvals', 'whole', task.id),
      wantBy('compositions', 'task', task.id),
      ...negotiationWants(task.id),
      wantRow('taints', task.id, 'member'),
      wantBy('timers', 'subject', 'chain.deadline', task.chain_id),
      wantBy('timers', 'subject', 'chain.outer', task.chain_id),
      wantBy('timers', 'subject', 'task.wait', task.id),
      ...(task.agent_id === null ? [] : [wantRow('agents', task.agent_id)]),
      ...(task.parent_id === null ? [] : [wantRow('tasks', task.parent_id), wantRow('taints', task.parent_id, 'member')]),
    ]),
    ...windowWants(tasks),
    ...contactWants(tasks),
  ]);
  // A chain's time runs while any agent in the chain is online.
  const inChains = tasks.flatMap((task) => tx.find('tasks', 'chain', task.chain_id, 1));
  tx.need(inChains.flatMap(({ agent_id: id }) => (id === null ? [] : [wantRow('agents', id)])));
  homesOf([...tasks, ...tasks.flatMap((task) => callerOf(task, tx))], tx);
  const turns = tasks.flatMap((task) => turnStates.flatMap((state) => tx.find('turns', 'task', task.id, state)));
  tx.need(turns.map((turn) => wantBy('journal', 'turn', turn.id)));
}

/** Loads these tasks and all open tasks of their chains, since a task ends with its parent. */
export function gatherWhole(tasks: readonly TaskRow[], tx: Tx): void {
  gatherTasks(tasks, tx);
  const others = tasks.flatMap((task) => tx.find('tasks', 'chain', task.chain_id, 1));
  gatherTasks(others, tx);
}

/** A member leaves a conversation, or the workspace when `homeId` is undefined: the tasks it worked on or asked for there end. */
export function endTasksOf(memberId: string, homeId: string | undefined, tx: Tx): void {
  tx.need([wantBy('tasks', 'agent', memberId, 1), wantBy('tasks', 'requester', memberId, 1)]);
  const [own, requested] = [tx.find('tasks', 'agent', memberId, 1), tx.find('tasks', 'requester', memberId, 1)];
  gatherWhole([...own, ...requested], tx);
  const end = ({ id, conversation_id }: TaskRow, ending: Pick<TaskEnding, 'cause' | 'by'>): void => {
    if (homeId !== undefined && homeOf(conversation_id, tx).id !== homeId) return;
    endTask(tx.get('tasks', id)!, { state: 'cancelled', ...ending }, tx);
  };
  for (const task of own) end(task, { cause: 'agent_left' });
  for (const task of requested) end(task, { cause: 'requester_left', by: memberId });
}

// Budget exhausted (SYS-10): the task ends there, and the fact names the purse.

export function endForBudget(task: TaskRow, purse: BudgetKind, tx: Tx): TaskRow {
  append(tx, { type: 'budget.exhausted', ...aboutTask(task), data: { purse } });
  return endTask(task, { state: 'failed', cause: 'budget' }, tx);
}

// Tasks and the chains they belong to, as rows: opened, moved, continued, ended. Which moves there are is decided in
// core; here they are written down, with their facts and what follows for those above and below.

import { type EndState, isOpen, type TaskEvent } from '@parley/core';
import type { FailureCode, TaskCause } from '@parley/protocol';
import type { FactData } from '../../../store/fact-data.ts';
import { seqOfFact, type Want, wantBy } from '../../../store/port.ts';
import type { ConversationRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { endApprovals } from '../approvals/approvals.ts';
import { aboveWants, askedAbove, callBack, comesToWaker, contactWants, dropContact, isContact, outlivesParent } from './callbacks.ts';
import { agentOf, chainLock, homeOf, isHere, newChain, settleChain, waitTimer } from './chains.ts';
import { endComposition, startComposition } from '../messages/growing-requests.ts';
import { dropNegotiations, negotiationWants } from './negotiations.ts';
import { moveTask, taskFact } from './transitions.ts';
import { notify } from '../facts/notices.ts';
import { append, heardIn } from '../facts/append.ts';
import { taintTask } from './taint.ts';
import { dropCalls, endTurns } from '../budget/turn-budget.ts';
import { runningWants } from '../facts/timers.ts';
import { type ComposingWait, dropWindow, startWindow, windowWants } from '../messages/composing-windows.ts';

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

export interface NewTask {
  /** Made beforehand, where its request names it. */
  id?: string;
  /** Null: whichever agent takes it. */
  agentId: string | null;
  requesterId: string;
  conversation: ConversationRow;
  home: ConversationRow;
  messageId: string;
  addressedBy: TaskRow['addressed_by'];
  mode: TaskRow['mode'];
  outputs?: string[];
  /** The chain it belongs to and the task in which it is delegated; left out, it begins a chain of its own. */
  within?: { chainId: string; parent: TaskRow | undefined };
  /** A reminder: in a chain of its own, and as deep as what it reminds of. Agents down to who waits. */
  after?: { depth: number; path: string[] } | undefined;
  /** Somebody is there to act: an agent that is here, or one that could take it. */
  here: boolean;
  /** Its requester may still be writing; left out, it begins at once and stands by itself. */
  window?: ComposingWait | undefined;
}

export function openTask(input: NewTask, tx: Tx): TaskRow {
  const { agentId, within, here } = input;
  const window = input.window?.piece === 'done' ? undefined : input.window;
  const parent = within?.parent;
  const chain = within ? tx.get('chains', within.chainId)! : newChain(input, tx);
  if (within) tx.update('chains', chain, { tasks: chain.tasks + 1 });
  const above = parent ? { depth: parent.depth, path: JSON.parse(parent.path) as string[] } : input.after;
  const path = [...(above?.path ?? []), ...(agentId === null ? [] : [agentId])];
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
    depth: above ? above.depth + 1 : 0,
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
  // Its request was written by an agent, whatever that one had read, or by a person who redirected it here.
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
/** The platform's notices to the requester; an answer and a refusal speak for themselves. */
const told = { failed: 'task_failed', timed_out: 'task_timed_out', cancelled: 'task_stopped' } as const;

interface Failed {
  /** In the platform's words. */
  reason?: string;
  failure?: FailureCode;
}

/** Ends a task and all of its sub-tasks; notifies its requester, once. */
export function endTask(
  task: TaskRow,
  state: EndState,
  cause: TaskCause,
  tx: Tx,
  given: { answerId?: string; by?: string | null; fromAbove?: boolean } & Failed = {},
): TaskRow {
  if (!isOpen(task.state)) return task;
  if (!given.fromAbove) gatherTasks([task, ...tx.find('tasks', 'chain', task.chain_id, 1)], tx);
  // Time runs out for all of a chain alike; whatever else ends a task, those below it are no longer wanted.
  const late = state === 'timed_out';
  for (const child of tx.find('tasks', 'parent', task.id, 1)) {
    if (outlivesParent(child, state, tx)) continue;
    endTask(child, late ? state : 'cancelled', late ? cause : 'parent_ended', tx, { fromAbove: true });
  }
  dropWindow(task, tx);
  endComposition(task, tx);
  endApprovals(task.id, tx);
  // An answer is its last word only when nothing is pending.
  if (state !== 'completed') dropNegotiations(task, tx);
  const ended = moveTask(
    tx.get('tasks', task.id)!,
    endings[state],
    { open: 0, cause, ended_at: tx.now, ...(given.answerId === undefined ? {} : { answer_id: given.answerId }) },
    tx,
    { cause, ...failedOf(given) },
  );
  endTurns(task.id, tx);
  dropCalls(task.id, tx);
  if (!given.fromAbove) tellRequester(ended, given, tx);
  else dropContact(ended, tx);
  settleChain(task.chain_id, tx);
  return ended;
}

const failedOf = ({ reason, failure }: Failed): Failed => ({
  ...(reason === undefined ? {} : { reason }),
  ...(failure === undefined ? {} : { failure }),
});

function tellRequester(task: TaskRow, given: { by?: string | null } & Failed, tx: Tx): void {
  if (task.parent_id !== null) {
    const parent = tx.get('tasks', task.parent_id)!;
    if (isOpen(parent.state)) resultFor(parent, task, tx);
    else dropContact(task, tx);
    return;
  }
  const kind = task.cause === 'nobody_took_it' ? task.cause : told[task.state as keyof typeof told];
  // The member who stopped it knows.
  if (kind === undefined || task.requester_id === null || task.requester_id === (given.by ?? null)) return;
  const where = { kind, conversation: task.conversation_id, message: task.message_id, task: task.id };
  const data = { ...where, reason: task.cause!, ...failedOf(given) };
  notify(
    task.requester_id,
    homeOf(task.conversation_id, tx).id,
    task.agent_id === null ? data : { ...data, agent: task.agent_id },
    tx,
    task.chain_id,
  );
}

/** A sub-task has ended, or asks: the task above gets that, and goes on if it waited for it. */
function resultFor(parent: TaskRow, child: TaskRow, tx: Tx, question: string | null = null): void {
  if (child.agent_id !== null) taintTask(parent, { kind: 'member', id: child.agent_id }, tx);
  if (isContact(child)) return isOpen(child.state) ? askedAbove(parent, child, question, tx) : callBack(parent, child, tx);
  comesToWaker(child, tx);
  const data = { child: child.id, state: child.state };
  if (parent.state === 'awaiting_delegation' || parent.state === 'awaiting_approval') moveTask(parent, 'resume', {}, tx, data);
  else taskFact('task.result', parent, tx, data);
}

/** The task waits for its requester. If that is an agent, the task above gets the question and can answer. */
export function askRequester(task: TaskRow, askedIn: string | null, tx: Tx, data: FactData['task.ask']): void {
  const waiting = moveTask(task, 'ask', { asked_in: askedIn }, tx, data);
  const above = task.parent_id === null ? undefined : tx.get('tasks', task.parent_id);
  if (above && isOpen(above.state)) resultFor(above, waiting, tx, 'message' in data ? data.message : null);
  // Its caller has an answer without it, and is not there to be asked.
  else if (isContact(waiting)) endTask(waiting, 'cancelled', 'parent_ended', tx);
  settleChain(task.chain_id, tx);
}

/** The chain's time is over, or it has gone on for as long as any may: everything open in it ends. */
export function endChain(chainId: string, limit: 'run_time' | 'outer_limit', tx: Tx): void {
  tx.lock(chainLock(chainId));
  gatherTasks(tx.find('tasks', 'chain', chainId, 1), tx);
  for (const { id } of tx.find('tasks', 'chain', chainId, 1).toSorted((a, b) => a.depth - b.depth)) {
    const task = tx.get('tasks', id)!;
    endTask(task, 'timed_out', limit === 'run_time' ? limit : waitedFor(task, tx), tx);
  }
}

/** One task has waited as long as any may, though its chain has not. */
export function endWait(taskId: string, tx: Tx): void {
  const task = tx.get('tasks', taskId);
  if (!task || !isOpen(task.state) || task.waiting_since === null) return;
  tx.lock(chainLock(task.chain_id));
  endTask(task, 'timed_out', waitedFor(task, tx), tx);
}

function waitedFor(task: TaskRow, set: WorkingSet): TaskCause {
  if (task.state === 'waiting') return 'waited_too_long';
  const gone = task.agent_id === null ? task.state === 'queued' : !isHere(agentOf(task.agent_id, set));
  return gone ? 'offline' : 'outer_limit';
}

/** Of turns whose journals still hold something. */
const turnStates = ['running', 'interrupted', 'done'] as const;

/** Everything that moving so many tasks needs, asked for at once: each would be found missing on its own otherwise. */
export function gatherTasks(tasks: readonly TaskRow[], tx: Tx): void {
  if (tasks.length === 0) return;
  tx.lock(...tasks.map((task) => chainLock(task.chain_id)));
  tx.need([
    ...runningWants,
    ...tasks.flatMap((task) => [
      { table: 'conversations' as const, values: [task.conversation_id] },
      { table: 'chains' as const, values: [task.chain_id] },
      wantBy('tags', 'chain', task.chain_id),
      wantBy('tasks', 'chain', task.chain_id, 1),
      wantBy('tasks', 'parent', task.id, 1),
      ...turnStates.map((state) => wantBy('turns', 'task', task.id, state)),
      { table: 'forgotten_calls' as const, values: [task.id] },
      wantBy('approvals', 'whole', task.id),
      wantBy('compositions', 'task', task.id),
      ...negotiationWants(task.id),
      ...[task.id, ...(task.parent_id === null ? [] : [task.parent_id])].map((id) => ({
        table: 'taints' as const,
        values: [id, 'member'],
      })),
      wantBy('timers', 'subject', 'chain.deadline', task.chain_id),
      wantBy('timers', 'subject', 'chain.outer', task.chain_id),
      wantBy('timers', 'subject', 'task.wait', task.id),
      ...(task.agent_id === null ? [] : [{ table: 'agents' as const, values: [task.agent_id] }]),
      ...(task.parent_id === null ? [] : [{ table: 'tasks' as const, values: [task.parent_id] }]),
    ]),
    ...windowWants(tasks),
    ...contactWants(tasks),
  ]);
  // Whether a chain's time runs hangs on all who are in it.
  const inChains = tasks.flatMap((task) => tx.find('tasks', 'chain', task.chain_id, 1));
  tx.need(inChains.flatMap(({ agent_id: id }) => (id === null ? [] : [{ table: 'agents' as const, values: [id] }])));
  const above = tasks.flatMap((task) => aboveWants(task, tx));
  tx.need([...tasks.flatMap((task) => homeWants(task.conversation_id, tx)), ...above]);
  tx.need(above.flatMap(({ values }) => homeWants(values[0] as string, tx)));
  tx.need(
    tasks.flatMap((task) =>
      turnStates.flatMap((state) => tx.find('turns', 'task', task.id, state)).map((turn) => wantBy('journal', 'turn', turn.id)),
    ),
  );
}

/** A thread's home is another row. */
export function homeWants(conversationId: string, set: WorkingSet): Want[] {
  const parent = set.get('conversations', conversationId)!.parent_id;
  return parent === null ? [] : [{ table: 'conversations', values: [parent] }];
}

/** These and what hangs on them: what ends one ends those below it. */
export function gatherWhole(tasks: readonly TaskRow[], tx: Tx): void {
  gatherTasks(tasks, tx);
  gatherTasks(
    tasks.flatMap((task) => tx.find('tasks', 'chain', task.chain_id, 1)),
    tx,
  );
}

/** A member leaves a conversation, or altogether: what it worked on or asked for there ends. */
export function endTasksOf(memberId: string, homeId: string | undefined, tx: Tx): void {
  tx.need([wantBy('tasks', 'agent', memberId, 1), wantBy('tasks', 'requester', memberId, 1)]);
  const held = [
    ...tx.find('tasks', 'agent', memberId, 1).map((task) => [task, 'agent_left'] as const),
    ...tx.find('tasks', 'requester', memberId, 1).map((task) => [task, 'requester_left'] as const),
  ];
  gatherWhole(
    held.map(([task]) => task),
    tx,
  );
  for (const [{ id, conversation_id }, cause] of held) {
    if (homeId !== undefined && homeOf(conversation_id, tx).id !== homeId) continue;
    endTask(tx.get('tasks', id)!, 'cancelled', cause, tx, cause === 'requester_left' ? { by: memberId } : {});
  }
}

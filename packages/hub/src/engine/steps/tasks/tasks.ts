// Tasks and the chains they belong to, as rows: opened, moved, continued, ended. Which moves there are is decided in
// core; here they are written down, with their facts and what follows for those above and below.

import { type EndState, isOpen, type TaskEvent } from '@parley/core';
import type { FailureCode, TaskCause } from '@parley/protocol';
import type { FactData } from '../../../store/fact-data.ts';
import { seqOfFact, type Want, wantBy } from '../../../store/port.ts';
import type { ConversationRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
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

export function openTask(input: NewTask, set: WorkingSet, context: Context): TaskRow {
  const { agentId, within, here } = input;
  const window = input.window?.piece === 'done' ? undefined : input.window;
  const parent = within?.parent;
  const chain = within ? set.get('chains', within.chainId)! : newChain(input, set, context);
  if (within) set.update('chains', chain, { tasks: chain.tasks + 1 });
  const above = parent ? { depth: parent.depth, path: JSON.parse(parent.path) as string[] } : input.after;
  const path = [...(above?.path ?? []), ...(agentId === null ? [] : [agentId])];
  const id = input.id ?? context.ids.next('task');
  const fact = append(set, context, {
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
    waiting_since: here ? null : context.now,
    created_at: context.now,
    updated_at: context.now,
    ended_at: null,
  };
  set.insert('tasks', task);
  // Its request was written by an agent, whatever that one had read, or by a person who redirected it here.
  if (parent || chain.requester_id !== input.requesterId) set.insert('taints', { task_id: id, kind: 'member', at: context.now });
  if (!here) waitTimer(task, set.get('chains', chain.id)!, set, context);
  if (window) startWindow(task, window, set, context, { fresh: true });
  if (input.window) startComposition(task, input.conversation.id, set, context, true);
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
  set: WorkingSet,
  context: Context,
  given: { answerId?: string; by?: string | null; fromAbove?: boolean } & Failed = {},
): TaskRow {
  if (!isOpen(task.state)) return task;
  if (!given.fromAbove) gatherTasks([task, ...set.find('tasks', 'chain', task.chain_id, 1)], set, context);
  // Time runs out for all of a chain alike; whatever else ends a task, those below it are no longer wanted.
  const late = state === 'timed_out';
  for (const child of set.find('tasks', 'parent', task.id, 1)) {
    if (outlivesParent(child, state, set, context)) continue;
    endTask(child, late ? state : 'cancelled', late ? cause : 'parent_ended', set, context, { fromAbove: true });
  }
  dropWindow(task, set, context);
  endComposition(task, set);
  endApprovals(task.id, set, context);
  // An answer is its last word only when nothing is pending.
  if (state !== 'completed') dropNegotiations(task, set, context);
  const ended = moveTask(
    set.get('tasks', task.id)!,
    endings[state],
    { open: 0, cause, ended_at: context.now, ...(given.answerId === undefined ? {} : { answer_id: given.answerId }) },
    set,
    context,
    { cause, ...failedOf(given) },
  );
  endTurns(task.id, set, context);
  dropCalls(task.id, set);
  if (!given.fromAbove) tellRequester(ended, given, set, context);
  else dropContact(ended, set, context);
  settleChain(task.chain_id, set, context);
  return ended;
}

const failedOf = ({ reason, failure }: Failed): Failed => ({
  ...(reason === undefined ? {} : { reason }),
  ...(failure === undefined ? {} : { failure }),
});

function tellRequester(task: TaskRow, given: { by?: string | null } & Failed, set: WorkingSet, context: Context): void {
  if (task.parent_id !== null) {
    const parent = set.get('tasks', task.parent_id)!;
    if (isOpen(parent.state)) resultFor(parent, task, set, context);
    else dropContact(task, set, context);
    return;
  }
  const kind = task.cause === 'nobody_took_it' ? task.cause : told[task.state as keyof typeof told];
  // The member who stopped it knows.
  if (kind === undefined || task.requester_id === null || task.requester_id === (given.by ?? null)) return;
  const where = { kind, conversation: task.conversation_id, message: task.message_id, task: task.id };
  const data = { ...where, reason: task.cause!, ...failedOf(given) };
  notify(
    task.requester_id,
    homeOf(task.conversation_id, set).id,
    task.agent_id === null ? data : { ...data, agent: task.agent_id },
    set,
    context,
    task.chain_id,
  );
}

/** A sub-task has ended, or asks: the task above gets that, and goes on if it waited for it. */
function resultFor(parent: TaskRow, child: TaskRow, set: WorkingSet, context: Context, question: string | null = null): void {
  if (child.agent_id !== null) taintTask(parent, { kind: 'member', id: child.agent_id }, set, context);
  if (isContact(child))
    return isOpen(child.state) ? askedAbove(parent, child, question, set, context) : callBack(parent, child, set, context);
  comesToWaker(child, set);
  const data = { child: child.id, state: child.state };
  if (parent.state === 'awaiting_delegation' || parent.state === 'awaiting_approval') moveTask(parent, 'resume', {}, set, context, data);
  else taskFact('task.result', parent, set, context, data);
}

/** The task waits for its requester. If that is an agent, the task above gets the question and can answer. */
export function askRequester(task: TaskRow, askedIn: string | null, set: WorkingSet, context: Context, data: FactData['task.ask']): void {
  const waiting = moveTask(task, 'ask', { asked_in: askedIn }, set, context, data);
  const above = task.parent_id === null ? undefined : set.get('tasks', task.parent_id);
  if (above && isOpen(above.state)) resultFor(above, waiting, set, context, 'message' in data ? data.message : null);
  // Its caller has an answer without it, and is not there to be asked.
  else if (isContact(waiting)) endTask(waiting, 'cancelled', 'parent_ended', set, context);
  settleChain(task.chain_id, set, context);
}

/** The chain's time is over, or it has gone on for as long as any may: everything open in it ends. */
export function endChain(chainId: string, limit: 'run_time' | 'outer_limit', set: WorkingSet, context: Context): void {
  context.lock(chainLock(chainId));
  gatherTasks(set.find('tasks', 'chain', chainId, 1), set, context);
  for (const { id } of set.find('tasks', 'chain', chainId, 1).toSorted((a, b) => a.depth - b.depth)) {
    const task = set.get('tasks', id)!;
    endTask(task, 'timed_out', limit === 'run_time' ? limit : waitedFor(task, set), set, context);
  }
}

/** One task has waited as long as any may, though its chain has not. */
export function endWait(taskId: string, set: WorkingSet, context: Context): void {
  const task = set.get('tasks', taskId);
  if (!task || !isOpen(task.state) || task.waiting_since === null) return;
  context.lock(chainLock(task.chain_id));
  endTask(task, 'timed_out', waitedFor(task, set), set, context);
}

function waitedFor(task: TaskRow, set: WorkingSet): TaskCause {
  if (task.state === 'waiting') return 'waited_too_long';
  const gone = task.agent_id === null ? task.state === 'queued' : !isHere(agentOf(task.agent_id, set));
  return gone ? 'offline' : 'outer_limit';
}

/** Of turns whose journals still hold something. */
const turnStates = ['running', 'interrupted', 'done'] as const;

/** Everything that moving so many tasks needs, asked for at once: each would be found missing on its own otherwise. */
export function gatherTasks(tasks: readonly TaskRow[], set: WorkingSet, context: Context): void {
  if (tasks.length === 0) return;
  context.lock(...tasks.map((task) => chainLock(task.chain_id)));
  set.need([
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
  const inChains = tasks.flatMap((task) => set.find('tasks', 'chain', task.chain_id, 1));
  set.need(inChains.flatMap(({ agent_id: id }) => (id === null ? [] : [{ table: 'agents' as const, values: [id] }])));
  const above = tasks.flatMap((task) => aboveWants(task, set));
  set.need([...tasks.flatMap((task) => homeWants(task.conversation_id, set)), ...above]);
  set.need(above.flatMap(({ values }) => homeWants(values[0] as string, set)));
  set.need(
    tasks.flatMap((task) =>
      turnStates.flatMap((state) => set.find('turns', 'task', task.id, state)).map((turn) => wantBy('journal', 'turn', turn.id)),
    ),
  );
}

/** A thread's home is another row. */
export function homeWants(conversationId: string, set: WorkingSet): Want[] {
  const parent = set.get('conversations', conversationId)!.parent_id;
  return parent === null ? [] : [{ table: 'conversations', values: [parent] }];
}

/** These and what hangs on them: what ends one ends those below it. */
export function gatherWhole(tasks: readonly TaskRow[], set: WorkingSet, context: Context): void {
  gatherTasks(tasks, set, context);
  gatherTasks(
    tasks.flatMap((task) => set.find('tasks', 'chain', task.chain_id, 1)),
    set,
    context,
  );
}

/** A member leaves a conversation, or altogether: what it worked on or asked for there ends. */
export function endTasksOf(memberId: string, homeId: string | undefined, set: WorkingSet, context: Context): void {
  set.need([wantBy('tasks', 'agent', memberId, 1), wantBy('tasks', 'requester', memberId, 1)]);
  const held = [
    ...set.find('tasks', 'agent', memberId, 1).map((task) => [task, 'agent_left'] as const),
    ...set.find('tasks', 'requester', memberId, 1).map((task) => [task, 'requester_left'] as const),
  ];
  gatherWhole(
    held.map(([task]) => task),
    set,
    context,
  );
  for (const [{ id, conversation_id }, cause] of held) {
    if (homeId !== undefined && homeOf(conversation_id, set).id !== homeId) continue;
    endTask(set.get('tasks', id)!, 'cancelled', cause, set, context, cause === 'requester_left' ? { by: memberId } : {});
  }
}

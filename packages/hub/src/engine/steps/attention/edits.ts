// An edited message of a person is read again (C2A-25, C2A-26): whom it calls now, who is no longer meant, and what becomes
// of those at work on it. The rows say what each of them had; core decides.

import {
  type Address,
  type AfterEdit,
  type Changed,
  changedBy,
  afterEdit,
  isAnyones,
  isFromRound,
  isOpen,
  packVerdict,
  type PackedVerdicts,
  taskPolicy,
  type Verdict,
} from '@parley/core';
import type { MessageRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { wakeUp } from '../agents/agents.ts';
import { partOf } from '../tasks/task-continuation.ts';
import type { AgentReading, IncomingMessage, MessageReading } from '../conversations/incoming-message.ts';
import { applyLeaveRequests, begunBy, confirmMany, gather, openForMany, rolesWoken } from './wake-agents.ts';
import { interpretMessage, isForAny } from './attend-message.ts';
import { hasActedIn } from '../tasks/turn-knowledge.ts';
import { liesBefore } from '../facts/conversation-access.ts';
import { openFor, openForRole } from '../tasks/open-requests.ts';
import { changeRound } from '../offers/offer-rounds.ts';
import { verdictsOf } from '../messages/verdicts.ts';
import { continueTask } from '../tasks/follow-ups.ts';
import { endTask, gatherWhole, moveTask, settleChain, taskFact } from '../tasks/tasks.ts';
import { endTurns } from '../budget/turn-budget.ts';
import { notifyUnknown } from '../messages/unknown-handles.ts';

export interface EditedMessage {
  /** The message after the edit. */
  message: MessageRow & { author_id: string };
  /** The text before the edit. */
  before: string;
  confirmAll: number | undefined;
}

/** The whole decision about an edit, made before anything changes. */
export type EditVerdict = ReturnType<typeof weighEdit>;

export function weighEdit(
  incoming: IncomingMessage & { editedId: string },
  { message, before }: EditedMessage,
  set: WorkingSet,
  at: number,
) {
  const now = interpretMessage(incoming, set, at);
  const earlier = interpretMessage({ ...incoming, body: before }, set, at);
  const requested = set.find('tasks', 'message', message.id);
  const parts = partOf(message.id, set);
  let changed: Changed | undefined;
  // Others may hold it by now: who took the work keeps it while the text calls the role.
  const tookRole = (agentId: string): boolean =>
    requested.some(
      (task) => task.agent_id === agentId && isOpen(task.state) && anyones(now, task, set) === 'keep' && task.addressed_by === 'role',
    );
  const follows = (agentId: string, had: Had): AfterEdit =>
    afterEdit({
      before: calledBefore(earlier, now, agentId),
      now: calls(now, agentId) || isTurnedTo(agentId, requested, now) || tookRole(agentId),
      had,
      changed: (changed ??= changedBy(before, incoming.body)),
    });

  const called = now.called.filter(({ agent }) => mayRead(agent.id, incoming, message, set));
  const after = new Map(called.map(({ agent }) => [agent.id, follows(agent.id, hadBy(agent.id, requested, parts, message, set))]));
  // The taker of an offer is found by offering it, once.
  const opened = called.filter(({ agent, verdict }) => !isAnyones(verdict.reason) && after.get(agent.id) === 'open');
  // An agent that has had the words is not knocked for them again.
  const calledAgain = called
    .filter(({ agent }) => after.get(agent.id) === 'again')
    .map((one): AgentReading => ({ ...one, task: undefined, verdict: notKnocked(one.verdict) }));
  return { now, earlier, requested, parts, called, opened, again: calledAgain, follows };
}

/** The verdicts to keep: an agent that had answered may look at the edit, and need not. */
export function editVerdicts(incoming: IncomingMessage, { now, again }: EditVerdict, tx: Tx): PackedVerdicts {
  const verdicts = verdictsOf(incoming, now, tx);
  const edited = again.map(
    ({ agent, verdict }) => [agent.id, packVerdict({ ...verdict, policy: taskPolicy('edit'), reason: 'edit' })] as const,
  );
  return edited.length === 0 ? verdicts : { ...verdicts, except: { ...verdicts.except, ...Object.fromEntries(edited) } };
}

export function applyEdit(
  incoming: IncomingMessage & { editedId: string },
  { message, confirmAll }: EditedMessage,
  { now, earlier, requested, parts, called, opened, again, follows }: EditVerdict,
  tx: Tx,
): void {
  changeRound(message.id, asksAround(now, parts), tx);
  if (now.called.length + now.named.addresses.length + requested.length + parts.length === 0) return;
  confirmMany([...opened, ...again], incoming, confirmAll, tx);
  gather([...opened, ...again], [], incoming.home, tx);
  const open = [...requested, ...parts].filter((task) => isOpen(task.state));
  gatherWhole(open, tx);

  const request = { incoming, message, outputs: grantedOutputs(requested) };
  const sent = called.filter(({ agent, verdict }) => verdict.reason === 'asked_to_leave' && !asksToLeave(earlier, agent.id));
  applyLeaveRequests([...sent, ...opened, ...again], incoming, message, tx);
  for (const { agent, verdict, task } of opened) {
    // The author has stopped writing, and mends the finished message.
    const enters = verdict.mode === 'immediate' ? 'urgent' : 'at_once';
    if (task) continueTask(tx.get('tasks', task.id)!, { id: message.id, authorId: message.author_id, enters }, tx);
    else openFor(agent, { ...request, addressedBy: verdict.reason as TaskRow['addressed_by'], mode: verdict.mode }, tx);
  }
  for (const { agent, verdict } of again) openFor(agent, { ...request, addressedBy: 'edit', mode: verdict.mode }, tx);
  openForMany(added({ ...now, called }, earlier), request, tx);
  for (const { role, able } of rolesWoken({ ...now, called }, incoming.author.id, [], tx))
    if (!callsRole(earlier, role.id)) openForRole(role, request, able, tx);
  wakeUp(begunBy([...opened, ...again]), tx);
  for (const { id, agent_id, message_id } of open) {
    const had = message_id === message.id ? 'request' : 'word';
    settle(id, agent_id === null ? anyones(now, { id }, tx) : follows(agent_id, had), message, tx);
  }
  notifyUnknown(unknownNow(now, earlier), incoming, message, tx);
}

/**
 * Redirected or assigned to it by a person, it is asked whatever the text says; claimed on an open floor, while the message is
 * still for any agent.
 */
const isTurnedTo = (agentId: string, requested: readonly TaskRow[], now: MessageReading): boolean =>
  requested.some(
    ({ agent_id, addressed_by: by, state }) =>
      agent_id === agentId &&
      isOpen(state) &&
      (by === 'redirect' || by === 'assigned' || (isFromRound(by) && now.others.policy === 'may_respond')),
  );

/**
 * Undefined: it is no longer for any agent. A fragment of a claimed message continues the claimer's task, and is offered to the
 * next one all the same, should the claimer let it go.
 */
function asksAround({ round, others, said }: MessageReading, parts: readonly TaskRow[]): boolean | undefined {
  const claimed = parts.some(({ addressed_by: by }) => isFromRound(by)) && others.policy === 'may_respond';
  return round?.asks ?? (claimed ? said.question === true : undefined);
}

const notKnocked = (verdict: Verdict): Verdict => (verdict.reason === 'role' ? { ...verdict, mode: 'buffered' } : verdict);

type Had = Parameters<typeof afterEdit>[0]['had'];

function hadBy(agentId: string, requested: readonly TaskRow[], parts: readonly TaskRow[], message: MessageRow, set: WorkingSet): Had {
  const isIts = (task: TaskRow | undefined): boolean => task?.agent_id === agentId;
  if (requested.some((task) => isIts(task) && isOpen(task.state))) return 'request';
  if (parts.some(isIts)) return 'word';
  const words = set.find('task_words', 'message', message.id).map(({ task_id }) => set.get('tasks', task_id));
  // A redirected task belongs to its new agent, whatever becomes of the text.
  return [...requested, ...words].some((task) => isIts(task) && task?.cause !== 'redirected') ? 'over' : 'nothing';
}

const callOf = ({ called }: MessageReading, agentId: string): Verdict | undefined =>
  called.find(({ agent, verdict }) => agent.id === agentId && verdict.task)?.verdict;
const calls = (reading: MessageReading, agentId: string): boolean => callOf(reading, agentId) !== undefined;

const asksToLeave = ({ called }: MessageReading, agentId: string): boolean =>
  called.some(({ agent, verdict }) => agent.id === agentId && verdict.reason === 'asked_to_leave');

/** An agent that was called as one of any need not have been woken: called by its own name now, it counts as called again. */
function calledBefore(earlier: MessageReading, now: MessageReading, agentId: string): boolean {
  const before = callOf(earlier, agentId);
  return before !== undefined && (!isAnyones(before.reason) || callOf(now, agentId)?.reason === before.reason);
}

const callsAs = ({ said, named }: MessageReading, kind: Address['kind']): boolean =>
  !said.filler && named.addresses.some((address) => address.kind === kind);

/** An unclaimed offer stays on offer while it is still for anyone, or any holder of the role. */
function anyones(now: MessageReading, { id }: Pick<TaskRow, 'id'>, set: WorkingSet): AfterEdit {
  const role = set.get('task_roles', id);
  const stillCalls = role ? callsRole(now, role.role_id) : isForAny(now);
  return stillCalls ? 'keep' : 'cancel';
}

const callsRole = ({ said, named }: MessageReading, roleId: string): boolean =>
  !said.filler && [...named.roles.values()].some(({ role }) => role.id === roleId);

/** All or any, where the text did not call them before. */
function added(now: MessageReading, earlier: MessageReading): MessageReading {
  const isNew = ({ kind }: Address): boolean =>
    (kind === 'all_agents' && callsAs(now, kind) && !callsAs(earlier, kind)) || (kind === 'any_agent' && !isForAny(earlier));
  const called = isForAny(earlier) ? now.called.filter(({ verdict }) => verdict.reason !== 'any_agent') : now.called;
  return { ...now, called, named: { ...now.named, addresses: now.named.addresses.filter(isNew) } };
}

/** The unknown names that the edit added: the author knows of the others. */
function unknownNow(now: MessageReading, earlier: MessageReading): MessageReading['named'] {
  const unknown = ({ named }: MessageReading) => named.addresses.filter(({ kind }) => kind === 'unknown');
  const earlierHandles = new Set(unknown(earlier).map(({ handle }) => handle.toLowerCase()));
  return { ...now.named, addresses: unknown(now).filter(({ handle }) => !earlierHandles.has(handle.toLowerCase())) };
}

/** With history from joining, an agent may not read earlier messages, edited or not. */
function mayRead(agentId: string, { home }: IncomingMessage, message: MessageRow, set: WorkingSet): boolean {
  const joined = set.get('memberships', home.id, agentId);
  return home.history === 'all' || (joined !== undefined && !liesBefore(message.seq, joined.joined_seq));
}

/** The conversations in which the author let the agents speak that were asked first. */
const grantedOutputs = ([first]: readonly TaskRow[]): string[] => (first === undefined ? [] : (JSON.parse(first.outputs) as string[]));

function settle(taskId: string, after: AfterEdit, message: EditedMessage['message'], tx: Tx): void {
  // The row is read again, because ending another of these tasks may have ended this one.
  const task = tx.get('tasks', taskId)!;
  if (!isOpen(task.state)) return;
  if (after === 'cancel') endTask(task, { state: 'cancelled', cause: 'request_edited', by: message.author_id }, tx);
  else if (after === 'take_out') {
    for (const word of tx.find('task_words', 'message', message.id)) if (word.task_id === taskId) tx.remove('task_words', word);
  } else if (after === 'correct') correct(task, message, tx);
}

/**
 * The task goes on with the new text. An agent that has not acted yet starts its turn over, under a new lease; after that
 * the agent gets the correction as an event.
 */
function correct(task: TaskRow, message: EditedMessage['message'], tx: Tx): void {
  const data = { message: message.id };
  if (task.state === 'active' && !hasActedIn(task, tx)) {
    endTurns(task.id, tx, 'interrupted');
    moveTask(task, 'yield', { lease: task.lease + 1 }, tx, { ...data, why: 'edited' });
  } else if (isAtRest(task, tx)) moveTask(task, 'resume', { asked_in: null }, tx, { ...data, why: 'edited' });
  else if (task.state !== 'queued' && task.state !== 'offered') taskFact('task.corrected', task, tx, data);
  settleChain(task.chain_id, tx, tx.get('chains', task.chain_id)!.requester_id === message.author_id);
}

/**
 * The turn is over and the task waits. A task that waits for an answer about a step that may have happened does not count:
 * an edit gives no such answer.
 */
const isAtRest = (task: TaskRow, set: WorkingSet): boolean =>
  (task.state === 'waiting' || task.state === 'awaiting_delegation') && set.find('turns', 'task', task.id, 'running').length === 0;

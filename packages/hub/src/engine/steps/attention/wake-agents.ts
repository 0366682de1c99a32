// The consequences of a message for the agents it concerns: tasks are opened, open ones go on, agents come and go, and the
// author is notified of addresses that woke nobody.

import { type Address, allCostText, isAnyones, isComplete, mayCallAll, mayTake, offerBeside, isOpen } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantRow } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { wakeUp } from '../agents/agents.ts';
import { allCost } from '../budget/turn-budget.ts';
import { notify, agentLock } from '../facts/append.ts';
import { runningWants } from '../facts/timers.ts';
import { composeWants, windowOf, windowWants } from '../messages/composing-windows.ts';
import { notifyUnknown } from '../messages/unknown-handles.ts';
import { sendRound } from '../offers/offer-rounds.ts';
import { presenceOf, takersOf } from '../offers/offers.ts';
import type { AgentReading, IncomingMessage, MessageReading } from '../conversations/incoming-message.ts';
import { continueTask, type FollowUp } from '../tasks/follow-ups.ts';
import { type MessageRequest, openFor, openForAny, openForRole } from '../tasks/open-requests.ts';
import { asActor } from '../tasks/task-access.ts';
import { chainLock, gatherTasks, moveTask, setWaiting, settleChain, taskFact } from '../tasks/tasks.ts';
import { notifyRequester } from '../tasks/transitions.ts';
import { interpretMessage, isForAny } from './attend-message.ts';
import { askToLeave, comeBack } from './leave-requests.ts';

/** Opens and continues tasks for a person's message that has just been placed. */
export function wakeAgents(
  incoming: IncomingMessage,
  message: MessageRow,
  options: { confirmAll?: number | undefined; outputs: string[] },
  tx: Tx,
  reading: MessageReading = interpretMessage(incoming, tx, tx.now),
): MessageReading {
  completeEarlierRequests(reading, incoming, tx);
  if (reading.round) sendRound(incoming, message.id, reading.round.asks, tx);
  if (reading.called.length + reading.unclaimed.length + reading.named.addresses.length === 0) return reading;
  const piece = incoming.piece ?? (isComplete(incoming.body, reading.named.addresses) ? 'finished' : 'unfinished');
  const later = incoming.piece ?? (isComplete(incoming.body, reading.named.addresses, true) ? 'finished' : 'unfinished');
  const woken = reading.called.filter(({ verdict }) => verdict.task);
  confirmMany(woken, incoming, options.confirmAll, tx);
  gather(woken, reading.unclaimed, incoming.home, tx);
  applyLeaveRequests(reading.called, incoming, message, tx);
  const named = woken.filter(({ verdict }) => !isAnyones(verdict.reason));
  const usual: FollowUp['enters'] = incoming.author.kind === 'human' ? 'buffered' : 'at_once';
  const followUp = (urgent: boolean, grows: boolean): FollowUp => ({
    id: message.id,
    authorId: incoming.author.id,
    enters: urgent ? 'urgent' : usual,
    conversationId: incoming.conversation.id,
    piece: later,
    grows,
  });
  const request: MessageRequest = { incoming: { ...incoming, piece }, message, outputs: options.outputs };
  for (const task of reading.unclaimed) continueTask(task, followUp(incoming.urgent === true, true), tx);
  for (const { agent, verdict, task, grows } of named) {
    const addressedBy = verdict.reason as TaskRow['addressed_by'];
    if (task) continueTask(task, followUp(verdict.mode === 'immediate', grows), tx);
    else openFor(agent, { ...request, addressedBy, mode: verdict.mode }, tx);
  }
  for (const { role, able } of rolesWoken(reading, incoming.author.id, [], tx)) openForRole(role, request, able, tx);
  if (!reading.said.filler) openForMany(reading, request, tx);
  // A person's word wakes a sleeper.
  wakeUp(begunBy(named), tx);
  notifyUnknown(reading.named, incoming, message, tx);
  notifyWithheld(reading, incoming, message, tx);
  return reading;
}

/** The agents that begin another task for it. */
export const begunBy = (woken: readonly AgentReading[]): string[] => woken.flatMap(({ agent, task }) => (task ? [] : agent.id));

/** The author speaks to others now: their earlier request, which an agent works on, is complete. */
function completeEarlierRequests({ said, called, unclaimed }: MessageReading, incoming: IncomingMessage, set: WorkingSet): void {
  if (incoming.author.kind !== 'human' || (said.addresses.length === 0 && incoming.replyTo === undefined) || said.filler) return;
  const goesOn = new Set([...unclaimed, ...called.flatMap(({ task, grows }) => (task && grows ? task : []))].map(({ id }) => id));
  const ownCompositions = set
    .find('compositions', 'conversation', incoming.conversation.id)
    .filter((row) => row.requester_id === incoming.author.id);
  const tasks = set.each(ownCompositions, (row) => ({ row, task: set.get('tasks', row.task_id)! }));
  set.need(windowWants(tasks.map(({ task }) => task)));
  for (const { row, task } of tasks) if (!goesOn.has(task.id) && !windowOf(task, set)) set.remove('compositions', row);
}

/** An agent that is asked to leave goes, and one that is called by name is back, before anything begins for it (C2A-16). */
export function applyLeaveRequests(called: readonly AgentReading[], incoming: IncomingMessage, message: MessageRow, tx: Tx): void {
  const author = tx.get('members', incoming.author.id)!;
  for (const { agent, verdict } of called) {
    const cause = { actor: asActor(author), messageId: message.id };
    if (verdict.reason === 'asked_to_leave') askToLeave(agent, incoming.conversation, cause, tx);
    if (verdict.reason === 'mention') comeBack(agent.id, incoming.conversation, cause.actor, tx);
  }
}

/** The author gets a notice about an address or DM that wakes nobody: they may wait for an answer (C2A-14). */
function notifyWithheld({ called }: MessageReading, incoming: IncomingMessage, message: MessageRow, tx: Tx): void {
  const about = { conversation: incoming.conversation.id, message: message.id };
  for (const { agent } of called.filter((one) => one.untaken))
    notify(incoming.author.id, incoming.home.id, { kind: 'not_taken', ...about, agent: agent.id }, tx);
  const withheld = called.filter((one) => one.withheld);
  if (withheld.length === 0) return;
  const agent = withheld.length === 1 ? { agent: withheld[0]!.agent.id } : {};
  notify(incoming.author.id, incoming.home.id, { kind: 'nothing_to_answer', ...about, ...agent }, tx);
}

/** Calling so many needs a second confirmation, which shows their number and the estimated cost (PAP-3). */
export function confirmMany(woken: readonly AgentReading[], incoming: IncomingMessage, confirmed: number | undefined, tx: Tx): void {
  const called = woken.filter(({ verdict }) => verdict.reason === 'all_agents').map(({ agent }) => agent.id);
  const all = called.length;
  if (all === 0 || mayCallAll(incoming.author.kind, all, confirmed, tx.limits.allWithoutConfirmation).ok) return;
  const cost = allCostText(allCost(called, tx.now, tx));
  throw new ParleyError('confirm_all', `^ALL would wake ${all} agents, a turn each. ${cost} Send it again with confirmAll: ${all}.`, {
    reason: String(all),
    problems: [{ field: 'confirmAll', message: cost }],
  });
}

/** Each role whose holders are knocked, and whether one of them could take it now; an agent may not call each of them. */
export function rolesWoken(
  reading: MessageReading,
  requesterId: string,
  path: string[],
  tx: Tx,
  isBarred: (agent: MemberRow) => boolean = () => false,
) {
  const knocked = new Set(reading.called.filter(({ verdict }) => verdict.task && verdict.reason === 'role').map(({ agent }) => agent.id));
  return [...reading.named.roles.values()].flatMap(({ role, holders }) => {
    const knockedHolders = holders.filter(({ id }) => knocked.has(id));
    if (knockedHolders.length > 0)
      return [{ role, asked: knockedHolders, able: knockedHolders.some((one) => couldTake(one.id, requesterId, path, tx, isBarred(one))) }];
    // As with ^ANY: an agent that was asked to leave is not knocked; the task waits for one that comes back, and its author
    // gets a notice.
    return haveAllLeft(reading, holders) ? [{ role, asked: holders, able: false }] : [];
  });
}

function haveAllLeft({ said, called }: MessageReading, holders: readonly MemberRow[]): boolean {
  const leavers = new Set(called.filter(({ verdict }) => verdict.reason === 'left').map(({ agent }) => agent.id));
  return !said.filler && said.final !== true && holders.every(({ id }) => leavers.has(id));
}

function couldTake(id: string, requesterId: string, path: string[], tx: Tx, barred = false): boolean {
  const taker = { id, active: true, member: true, before: false, calledByName: false, barred, ...presenceOf(id, tx, tx.now) };
  return mayTake(taker, { requesterId, path }).ok;
}

/** An `^ALL` without any agent is done by nobody; an `^ANY` is offered to those who were not named. */
export function openForMany(reading: MessageReading, request: MessageRequest, tx: Tx): void {
  const { incoming, message } = request;
  const calls = (kind: Address['kind']): boolean => reading.named.addresses.some((address) => address.kind === kind);
  if (calls('all_agents') && reading.called.every(({ verdict }) => verdict.reason === 'left'))
    notify(incoming.author.id, incoming.home.id, { kind: 'no_agents', conversation: incoming.conversation.id, message: message.id }, tx);
  if (!isForAny(reading)) return;
  const woken = reading.called.filter(({ verdict }) => verdict.task);
  const able = (id: string): boolean => couldTake(id, incoming.author.id, [], tx);
  const anyone = offerBeside(
    woken.filter(({ verdict }) => verdict.reason !== 'any_agent').map(({ agent }) => presenceOf(agent.id, tx, tx.now)),
    woken.filter(({ verdict }) => verdict.reason === 'any_agent').map(({ agent }) => ({ able: able(agent.id) })),
  );
  if (anyone !== 'none') openForAny(request, anyone === 'offer', tx);
}

/** Loads all rows that opening these tasks needs in one round trip. */
export function gather(woken: readonly AgentReading[], unclaimed: readonly TaskRow[], home: ConversationRow, tx: Tx): void {
  if (woken.length + unclaimed.length === 0) return;
  tx.lock(
    ...woken.map(({ agent, task }) => (task ? chainLock(task.chain_id) : agentLock(agent.id))),
    ...unclaimed.map((task) => chainLock(task.chain_id)),
  );
  tx.need([
    ...runningWants,
    ...composeWants(home.id),
    ...woken.flatMap(({ agent: { id, owner_id } }) => [
      wantRow('agents', id),
      ...(owner_id === null ? [] : [wantRow('memberships', home.id, owner_id)]),
    ]),
  ]);
}

// The requester has stopped writing: the turn may begin, or the offer goes out.

/** The timer needs no removal: the transaction that fires it removes it. */
export function makeReady(taskId: string, tx: Tx): void {
  const window = tx.get('windows', taskId);
  const task = tx.get('tasks', taskId);
  if (!window || !task) return;
  tx.lock(chainLock(task.chain_id));
  gatherTasks([task], tx);
  tx.remove('windows', window);
  if (!isOpen(task.state)) return;
  // The row stays until now, so that the rest of an answer finds its task.
  const ready = task.asked_in === null ? task : tx.update('tasks', task, { asked_in: null });
  taskFact('task.ready', ready, tx, {});
  if (ready.agent_id === null) offer(ready, tx);
}

function offer(task: TaskRow, tx: Tx): void {
  const able = takersOf([task], tx, tx.now, { lock: tx.lock }).get(task.id)!.length > 0;
  if (able) moveTask(task, 'offer', {}, tx);
  // The author gets this notice only once: not when one came already as the request was made.
  else if (task.waiting_since === null) {
    setWaiting(task, true, tx);
    notifyRequester(task, 'nobody_available', tx);
  }
  settleChain(task.chain_id, tx);
}

// Delegating by addressing (PAP-10): the first address in an agent's progress opens a sub-task under its own. In a question
// or its last word it opens nothing, and is flagged to the agent, as further ones, ^ALL and ^ANY are (C2A-33).

import { isPassedOver, mayCallAll, mayDelegate } from '@parley/core';
import { foldHandle } from '@parley/protocol';
import { wantRow } from '../../../store/port.ts';
import type { ChainRow, ConversationRow, MemberRow, MessageRow, RoleRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { callRefused, callWants } from '../people/contact-rules.ts';
import { callsMany } from '../attention/attend-message.ts';
import type { MessageReading } from '../conversations/incoming-message.ts';
import { rolesWoken } from '../attention/wake-agents.ts';
import { comeBack } from '../attention/leave-requests.ts';
import { continueTask } from '../tasks/follow-ups.ts';
import { isEnded } from './loop-guard.ts';
import { aboutTask, agentLock, append, notify } from '../facts/append.ts';
import { openForRole } from '../tasks/open-requests.ts';
import { agentOf, homeOf, isHere, openTask, settleChain, timeLeft } from '../tasks/tasks.ts';
import { asActor, pathOf } from '../tasks/task-access.ts';

interface Speaking {
  agent: MemberRow;
  task: TaskRow;
  conversation: ConversationRow;
  home: ConversationRow;
  message: MessageRow;
  final: boolean;
  /** A question to its requester. */
  asks?: boolean;
  /** `send_channel_message` wakes each that it names (IAC-16); any other message the first (C2A-33). */
  wakesEach?: boolean;
}

export function delegate(spoken: Omit<Speaking, 'home'>, reading: MessageReading, tx: Tx): void {
  const { agent, task, conversation, message, final } = spoken;
  const speaking: Speaking = { ...spoken, home: homeOf(conversation.id, tx) };
  const { called, named } = reading;
  const woken = called.filter(({ verdict }) => verdict.task);
  const ids = woken.map(({ agent: one }) => one.id);
  tx.lock(...ids.map(agentLock));
  if (ids.length > 0) tx.need([...ids.map((id) => wantRow('agents', id)), ...callWants(agent.id, ids)]);
  const first = firstNamed(reading, task);
  const isMeant = (fold: string): boolean => spoken.wakesEach === true || fold === first;
  for (const { agent: target, verdict, task: open } of called) {
    if (verdict.reason === 'final_answer') flag(speaking, spoken.asks ? 'in_question' : 'final_answer', target.id, tx);
    if (!verdict.task || verdict.reason === 'role') continue;
    // A sub-task asked, and this message is the answer.
    if (open?.parent_id === task.id) continueTask(open, { id: message.id, authorId: agent.id, enters: 'at_once' }, tx);
    else if (!isMeant(target.handle_fold)) flag(speaking, 'one_delegate', target.id, tx);
    else giveTo(target, verdict.reason as TaskRow['addressed_by'], speaking, tx);
  }
  const isBarred = (one: MemberRow): boolean => callRefused(agent, one, tx) !== undefined || isEnded(task.chain_id, [agent.id, one.id], tx);
  for (const { role, asked: holders, able } of rolesWoken(reading, agent.id, pathOf(task), tx, isBarred)) {
    if (isMeant(role.handle_fold)) giveToRole(role, holders, able, speaking, tx);
    else flag(speaking, 'one_delegate', undefined, tx);
  }
  const many = mayCallAll('agent');
  if (!many.ok && callsMany(named.addresses)) flag(speaking, many.reason, undefined, tx);
  const unread = named.addresses.find(({ kind }) => kind === 'unknown');
  if (!final && unread) flag(speaking, isPassedOver(unread.cause) ? unread.cause! : 'unknown_handle', undefined, tx);
}

/** The handle of the agent or role that the message delegates to: the first that it addresses (C2A-33). */
function firstNamed({ called, named }: MessageReading, task: TaskRow): string | undefined {
  const isDelegated = (fold: string): boolean =>
    named.roles.has(fold) ||
    called.some(({ agent, verdict, task: open }) => agent.handle_fold === fold && verdict.task && open?.parent_id !== task.id);
  return named.addresses
    .filter(({ kind }) => kind === 'agent' || kind === 'role')
    .map(({ handle }) => foldHandle(handle))
    .find(isDelegated);
}

/** The agent gets the notice, and so does the person it works for. */
function flag(speaking: Speaking, reason: string, to: string | undefined, tx: Tx): void {
  const { agent, task, conversation, home, message } = speaking;
  const about = to === undefined ? {} : { agent: to };
  const data = { reason, message: message.id, ...about };
  append(tx, { type: 'task.flagged', scope: 'member', conversation_id: home.id, ...aboutTask(task), member_id: agent.id, data });
  if (task.requester_id === null || task.parent_id !== null || speaking.final || speaking.asks) return;
  const where = { conversation: conversation.id, message: message.id, task: task.id };
  notify(task.requester_id, home.id, { kind: 'not_delegated', ...where, reason, ...about }, tx, task.chain_id);
}

function giveTo(target: MemberRow, addressedBy: TaskRow['addressed_by'], speaking: Speaking, tx: Tx): void {
  const { task } = speaking;
  const chain = tx.get('chains', task.chain_id)!;
  const allowed = mayDelegate({ depth: task.depth, path: pathOf(task) }, target.id, chain.tasks, tx.limits);
  if (!allowed.ok) return flag(speaking, allowed.reason, target.id, tx);
  if (isEnded(task.chain_id, [speaking.agent.id, target.id], tx)) return flag(speaking, 'no_progress', target.id, tx);
  const refused = callRefused(speaking.agent, target, tx);
  if (refused) return flag(speaking, refused, target.id, tx);
  // An agent's word does not wait for one who is not there: it must know now.
  if (!isHere(agentOf(target.id, tx))) return flag(speaking, 'offline', target.id, tx);
  if (sleepsTooLong(target.id, chain, tx)) return flag(speaking, 'asleep', target.id, tx);
  open(target.id, addressedBy, speaking, tx);
}

/** Opens one sub-task for any holder that is not in this chain yet and that the agent may call. */
function giveToRole(role: RoleRow, holders: MemberRow[], able: boolean, speaking: Speaking, tx: Tx): void {
  const { agent, task, conversation, home, message } = speaking;
  const { tasks } = tx.get('chains', task.chain_id)!;
  const refusals = holders.map((one) => {
    const answer = mayDelegate({ depth: task.depth, path: pathOf(task) }, one.id, tasks, tx.limits);
    if (isEnded(task.chain_id, [agent.id, one.id], tx)) return 'no_progress';
    return answer.ok ? callRefused(agent, one, tx) : answer.reason;
  });
  // A refusal that a person could lift by approval is reported rather than one that nobody can lift.
  const reported = Math.max(0, refusals.indexOf('needs_approval'));
  if (refusals.every((reason) => reason !== undefined)) return flag(speaking, refusals[reported]!, holders[reported]!.id, tx);
  if (!able) return flag(speaking, 'offline', holders[refusals.indexOf(undefined)]!.id, tx);
  const incoming = { conversation, home, author: { id: agent.id, kind: 'agent' } as const };
  const within = { chainId: task.chain_id, parent: tx.get('tasks', task.id) };
  openForRole(role, { incoming, message, within }, true, tx);
  settleChain(task.chain_id, tx);
}

/** The agent would wake only when the chain's time is over. */
export function sleepsTooLong(agentId: string, chain: ChainRow, tx: Tx): boolean {
  const { asleep_until: until } = agentOf(agentId, tx);
  return until !== null && until - tx.now > timeLeft(chain, tx);
}

function open(agentId: string, addressedBy: TaskRow['addressed_by'], speaking: Speaking, tx: Tx): void {
  const { agent, task, conversation, home, message } = speaking;
  comeBack(agentId, conversation, asActor(agent), tx);
  const within = { chainId: task.chain_id, parent: tx.get('tasks', task.id) };
  const request = { agentId, requesterId: agent.id, conversation, home, messageId: message.id };
  openTask({ ...request, addressedBy, mode: 'buffered', within, here: true }, tx);
  settleChain(task.chain_id, tx);
}

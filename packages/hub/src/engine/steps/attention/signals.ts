// The effects of a signal. An agent's own signal on a request ends its task, or holds the task up, without a turn and
// without a word. Anyone's signal on an agent's words reaches that agent inside the open task of those words.

import { dischargeOf, effectOf, isOpen, mayReact, meaning, type MemberActor, type Signal, taskPolicy } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { seqOfFact } from '../../../store/port.ts';
import type { ConversationRow, MessageRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isBlocked } from '../people/contact-rules.ts';
import { passOn } from '../offers/claims.ts';
import { leaveRequestsIn } from '../conversations/participants.ts';
import { aboutTask, append, heardIn } from '../facts/append.ts';
import { takersOf } from '../offers/offers.ts';
import { liesBefore } from '../facts/conversation-access.ts';
import { askedOf } from '../offers/round-claims.ts';
import { askRequester, chainLock, endTask, gatherWhole, homeOf, moveTask, settleChain } from '../tasks/tasks.ts';
import { endTurns, returnTurn } from '../budget/turn-budget.ts';
import { isHalted, tasksOn } from '../tasks/task-access.ts';
import { notifyRequester } from '../tasks/transitions.ts';
import { runningWants } from '../facts/timers.ts';
import { windowOf } from '../messages/composing-windows.ts';

/** The message's task that is still offered to several, when this agent is one of them. */
export function offerTo(agentId: string, message: MessageRow, tx: Tx): TaskRow | undefined {
  const open = tx.find('tasks', 'message', message.id).filter((task) => task.agent_id === null && isOpen(task.state));
  if (open.length === 0) return undefined;
  const takers = takersOf(open, tx, tx.now, { among: [agentId], claiming: true });
  return open.find((task) => takers.get(task.id)!.length > 0);
}

/** Refuses a reaction to a message that the agent never received. */
export function mustMayReact(agentId: string, message: MessageRow, where: ConversationRow, tx: Tx): void {
  const delivered =
    tasksOn(message.id, tx).some((task) => task.agent_id === agentId) ||
    offerTo(agentId, message, tx) !== undefined ||
    askedOf(agentId, message.id, tx) !== undefined;
  const verdict = mayReact({
    own: message.author_id === agentId,
    // An agent that finishes a request in a thread may react to that request.
    askedToLeave:
      leaveRequestsIn(where, tx).has(agentId) && !tasksOn(message.id, tx).some((task) => task.agent_id === agentId && isOpen(task.state)),
    delivered,
    working: delivered || tx.find('tasks', 'agent', agentId, 1).some((task) => task.conversation_id === where.id),
  });
  if (verdict.ok) return;
  if (verdict.reason === 'asked_to_leave') throw new ParleyError('asked_to_leave');
  throw new ParleyError('forbidden', 'An agent can react only to messages it received, and not to its own.', {
    reason: `message.react:${verdict.reason}`,
  });
}

/** The agent's signal on the message that asked it. */
export function dischargeBy(
  signal: Signal,
  agentId: string,
  message: MessageRow,
  { lease, owes }: { lease: number | undefined; /** The agent has answered, with a signal, an obligation of its own. */ owes: boolean },
  tx: Tx,
): void {
  const task = tx.find('tasks', 'message', message.id).find((one) => one.agent_id === agentId && isOpen(one.state));
  if (!task) return;
  tx.lock(chainLock(task.chain_id));
  // A signal without a lease is about the obligation alone: as a last word it would have named the lease.
  if (owes && lease === undefined && task.lease > 0) return;
  tx.need(runningWants);
  const optional = taskPolicy(task.addressed_by) === 'may_respond';
  const verdict = dischargeOf(signal, { ...task, optional }, { lease, halted: isHalted(tx) });
  if (!verdict.ok) throw new ParleyError(verdict.reason);
  if (verdict.does === 'nothing') return;
  // The requester has not said all of it yet.
  if (windowOf(task, tx)) throw new ParleyError('composing');
  gatherWhole([task], tx);
  returnTurn(task, tx);
  if (verdict.does === 'complete') endTask(task, { state: 'completed', cause: 'signalled' }, tx);
  // A task that several could take passes to the next agent.
  else if (verdict.does === 'decline') {
    if (!passOn(task, tx)) endTask(task, { state: 'declined', cause: 'declined' }, tx);
  } else holdUp(task, signal, tx);
}

/** A question without words: the requester gets the signal, and their next message goes on with it. */
function holdUp(task: TaskRow, signal: Signal, tx: Tx): void {
  endTurns(task.id, tx);
  askRequester(task, task.conversation_id, tx, { signal });
  notifyRequester(task, 'agent_signalled', tx, { agent: task.agent_id!, reason: signal });
}

/** A signal on an agent's own words reaches it once, inside the open task of those words. */
export function passSignal(signal: Signal, actor: MemberActor, message: MessageRow, tx: Tx): void {
  if (message.author_id === null || message.author_id === actor.id) return;
  const word = tx.find('task_words', 'message', message.id).find(({ kind }) => kind !== 'follow_up' && kind !== 'result');
  const task = word && tx.get('tasks', word.task_id);
  if (!task || task.agent_id !== message.author_id || !isOpen(task.state)) return;
  if (isBlocked(task.agent_id, [actor.id], tx)) return;
  tx.lock(chainLock(task.chain_id));
  if (tx.get('signals', message.id, actor.id, signal)) return;
  const chain = tx.get('chains', task.chain_id)!;
  const isRequester = [task.requester_id, chain.requester_id].includes(actor.id);
  const means = meaning(signal, { kind: actor.kind, isRequester });
  const fact = append(tx, {
    type: 'task.signal',
    actor,
    ...heardIn(homeOf(task.conversation_id, tx).id),
    ...aboutTask(task),
    data: { message: message.id, signal, meaning: means },
  });
  const { id: message_id } = message;
  tx.insert('signals', { message_id, member_id: actor.id, signal, task_id: task.id, seq: seqOfFact(fact), at: tx.now });
  const effect = effectOf(means, { isRequester, asks: isOpenQuestion(message, task, tx) });
  if (effect === 'nothing') return;
  gatherWhole([task], tx);
  if (effect === 'ends') endTask(task, { state: 'cancelled', cause: 'already_handled', by: actor.id }, tx);
  else {
    moveTask(task, 'resume', { asked_in: null }, tx, { signal, message: message.id });
    settleChain(task.chain_id, tx, chain.requester_id === actor.id);
  }
}

/** The message is the task's last question, and the task waits for the answer. */
function isOpenQuestion(message: MessageRow, task: TaskRow, set: WorkingSet): boolean {
  if (task.state !== 'waiting') return false;
  const words = set.find('task_words', 'task', task.id).filter(({ kind }) => kind === 'question');
  const questions = set.each(words, (word) => set.get('messages', word.message_id)!);
  return questions.some(({ id }) => id === message.id) && questions.every(({ seq }) => !liesBefore(message.seq, seq));
}

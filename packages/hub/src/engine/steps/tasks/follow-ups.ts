// More is said in an open task: it goes on, or waits for as long as its requester is still writing.

import { type Fragment, nextState, pieceAfter } from '@parley/core';
import type { TaskRow, JournalRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { compositionOf, startComposition, keepWindow, startWindow, windowIn, windowOf } from '../messages/composing-windows.ts';
import { taintTask } from './transitions.ts';
import { endTurns, beginTurn } from '../budget/turn-budget.ts';
import { homeOf, moveTask, settleChain, taskFact, agentOf } from './tasks.ts';
import { wantBy } from '../../../store/port.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isHalted } from './task-access.ts';
import { urgentSince } from './turn-knowledge.ts';

export interface FollowUp {
  id: string;
  authorId: string;
  /** `buffered`: a person's, and enters the turn once they have stopped writing. `urgent`: it does not wait for the turn to end. */
  enters: 'buffered' | 'at_once' | 'urgent';
  /** The conversation of a buffered message, and whether the message looks finished. */
  conversationId?: string;
  piece?: Fragment;
  /** The message belongs to the request, which nobody has acted on yet (C2A-28). */
  grows?: boolean;
}

/** A follow-up was posted. Only the chain's requester extends its time by speaking. */
export function continueTask(task: TaskRow, message: FollowUp, tx: Tx): TaskRow {
  tx.insert('task_words', { message_id: message.id, task_id: task.id, kind: 'follow_up' });
  taintTask(task, { kind: 'member', id: message.authorId }, tx);
  const next = followUp(task, message, tx);
  settleChain(task.chain_id, tx, tx.get('chains', task.chain_id)!.requester_id === message.authorId);
  return next;
}

function followUp(task: TaskRow, message: FollowUp, tx: Tx): TaskRow {
  const urgent = message.enters === 'urgent';
  if (urgent && task.state === 'active') return interrupt(task, message.id, tx);
  const composing = windowOf(task, tx) !== undefined;
  if (message.grows && !composing && message.enters === 'buffered') return restart(task, message, tx);
  const resumes = nextState(task.state, 'resume') !== undefined;
  // The hub waits only for the requester, who may say that it is enough.
  const opensWindow = message.enters !== 'at_once' && task.requester_id === message.authorId && (resumes || composing);
  const limits = opensWindow && !urgent ? windowIn(homeOf(task.conversation_id, tx), tx) : undefined;
  const piece = limits ? (message.piece ?? 'finished') : 'done';
  const mode = urgent ? { mode: urgentMode(task) } : {};
  const data = { message: message.id, ...(urgent ? { urgent } : {}) };
  if (resumes) {
    const next = moveTask(task, 'resume', piece === 'done' ? { ...mode, asked_in: null } : mode, tx, data);
    if (limits && piece !== 'done') startWindow(next, { limits, piece }, tx);
    if (limits && message.conversationId !== undefined) startComposition(next, message.conversationId, tx);
    return next;
  }
  const next = tx.update('tasks', task, { ...mode, updated_at: tx.now });
  if (opensWindow) keepWindow(next, piece, limits ?? tx.limits.window, tx);
  // The agent gets a piece with the other words that its turn begins with.
  const part = composing ? ({ piece: task.lease === 0 ? 'request' : 'answer' } as const) : {};
  taskFact('task.continued', next, tx, { ...data, ...part });
  return next;
}

/**
 * The requester goes on writing before anything came of the request: a running turn is taken away, and begins again with
 * all of it.
 */
function restart(task: TaskRow, message: FollowUp, tx: Tx): TaskRow {
  const row = compositionOf(task, tx)!;
  const data = { message: message.id, piece: row.since === task.created_at ? 'request' : 'answer' } as const;
  const active = task.state === 'active';
  if (active) endTurns(task.id, tx, 'interrupted');
  const next =
    task.state === 'queued'
      ? tx.update('tasks', task, { updated_at: tx.now })
      : moveTask(task, 'yield', active ? { lease: task.lease + 1 } : {}, tx, { ...data, why: 'piece' });
  if (task.state === 'queued') taskFact('task.continued', next, tx, data);
  const limits = windowIn(homeOf(task.conversation_id, tx), tx) ?? tx.limits.window;
  startWindow(next, { limits, piece: pieceAfter(row.restarts, message.piece ?? 'finished') }, tx, { since: row.since });
  if (active) tx.update('compositions', row, { restarts: row.restarts + 1 });
  return next;
}

// Urgent words for a task that is being worked on, and the answer to an approval (C2A-9): its turn is taken away in the
// transaction that records them, so that its runner is refused from then on. The steps done already stay in its journal.

/**
 * An agent in the hub is begun again by the scheduler; one outside is given its new lease with the words themselves. A call that
 * cannot be repeated is not cut: the words wait for its end (`interruptAfterCall`).
 */
function interrupt(task: TaskRow, messageId: string, tx: Tx): TaskRow {
  const lease = task.lease + 1;
  const data = { message: messageId, urgent: true } as const;
  const change = { lease, mode: urgentMode(task) };
  if (isInCall(task, tx)) {
    const next = tx.update('tasks', task, { mode: change.mode, updated_at: tx.now });
    taskFact('task.continued', next, tx, data);
    return next;
  }
  endTurns(task.id, tx, 'interrupted');
  if (agentOf(task.agent_id!, tx).brain === 'remote' && !isHalted(tx)) {
    const startedTask = beginTurn(task, lease, { turns: 1, micros: 0 }, tx);
    if ('turn' in startedTask) {
      const next = tx.update('tasks', task, { ...change, updated_at: tx.now });
      taskFact('task.continued', next, tx, { ...data, lease });
      return next;
    }
  }
  return moveTask(task, 'yield', change, tx, { ...data, why: 'urgent' });
}

/**
 * A person has answered an approval while the turn goes on: another turn begins with the answer. A remote agent hears the answer
 * at once in the turn that it holds. While a call runs that cannot be repeated, nobody could say later whether it happened; then
 * the answer waits for the end of the turn.
 */
export function interruptWithAnswer(task: TaskRow, data: { approval: string; state: string }, tx: Tx): void {
  if (isInCall(task, tx) || agentOf(task.agent_id!, tx).brain === 'remote') return taskFact('task.approval', task, tx, data);
  endTurns(task.id, tx, 'interrupted');
  moveTask(task, 'yield', { lease: task.lease + 1, mode: urgentMode(task) }, tx, { ...data, why: 'approval' });
}

/** A call of its turn has ended that was not cut: urgent words that came meanwhile take the turn away now. */
export function interruptAfterCall(task: TaskRow, call: JournalRow, tx: Tx): void {
  if (!isUnrepeatable(call) || isInCall(task, tx)) return;
  const message = urgentSince(task, tx);
  if (message !== undefined) interrupt(task, message, tx);
}

/** A call of its turn is under way that cannot be repeated. */
function isInCall(task: TaskRow, set: WorkingSet): boolean {
  const running = set.find('turns', 'task', task.id, 'running');
  set.need(running.map(({ id }) => wantBy('journal', 'turn', id)));
  return running.flatMap(({ id }) => set.find('journal', 'turn', id)).some((step) => step.done_at === null && isUnrepeatable(step));
}

const isUnrepeatable = ({ kind, read_only, key }: JournalRow): boolean => kind === 'tool' && read_only === 0 && key === null;

/** The task goes before what else is queued for its agent. A knock stays one: the agent that takes it asks for the words. */
const urgentMode = ({ mode }: TaskRow): TaskRow['mode'] => (mode === 'notify' ? mode : 'immediate');

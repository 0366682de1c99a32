// More is said in an open task: it goes on, or waits for as long as its requester is still writing.

import { type Fragment, nextState, pieceAfter } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { compositionOf, startComposition } from '../messages/growing-requests.ts';
import { interrupt, urgentMode } from './interrupts.ts';
import { taintTask } from './taint.ts';
import { endTurns } from '../budget/turn-budget.ts';
import { homeOf, moveTask, settleChain, taskFact } from './tasks.ts';
import { keepWindow, startWindow, windowIn, windowOf } from '../messages/composing-windows.ts';

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

/** More was said in it. Only the chain's requester renews its time by speaking. */
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
  const waits = message.enters !== 'at_once' && task.requester_id === message.authorId && (resumes || composing);
  const limits = waits && !urgent ? windowIn(homeOf(task.conversation_id, tx), tx) : undefined;
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
  if (waits) keepWindow(next, piece, limits ?? tx.limits.window, tx);
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

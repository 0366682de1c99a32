// More is said in an open task: it goes on, or waits for as long as its requester is still writing.

import { type Fragment, nextState, pieceAfter } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
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
  /** Where it was said, and whether it looks finished, of what is buffered. */
  conversationId?: string;
  piece?: Fragment;
  /** It belongs to the request, which nobody has acted on yet (C2A-28). */
  grows?: boolean;
}

/** More was said in it. Only the chain's requester renews its time by speaking. */
export function continueTask(task: TaskRow, message: FollowUp, set: WorkingSet, context: Context): TaskRow {
  set.insert('task_words', { message_id: message.id, task_id: task.id, kind: 'follow_up' });
  taintTask(task, { kind: 'member', id: message.authorId }, set, context);
  const next = followUp(task, message, set, context);
  settleChain(task.chain_id, set, context, set.get('chains', task.chain_id)!.requester_id === message.authorId);
  return next;
}

function followUp(task: TaskRow, message: FollowUp, set: WorkingSet, context: Context): TaskRow {
  const urgent = message.enters === 'urgent';
  if (urgent && task.state === 'active') return interrupt(task, message.id, set, context);
  const composing = windowOf(task, set) !== undefined;
  if (message.grows && !composing && message.enters === 'buffered') return restart(task, message, set, context);
  const resumes = nextState(task.state, 'resume') !== undefined;
  // The hub waits only for the requester, who may say that it is enough.
  const waits = message.enters !== 'at_once' && task.requester_id === message.authorId && (resumes || composing);
  const limits = waits && !urgent ? windowIn(homeOf(task.conversation_id, set), set, context) : undefined;
  const piece = limits ? (message.piece ?? 'finished') : 'done';
  const mode = urgent ? { mode: urgentMode(task) } : {};
  const data = { message: message.id, ...(urgent ? { urgent } : {}) };
  if (resumes) {
    const next = moveTask(task, 'resume', piece === 'done' ? { ...mode, asked_in: null } : mode, set, context, data);
    if (limits && piece !== 'done') startWindow(next, { limits, piece }, set, context);
    if (limits && message.conversationId !== undefined) startComposition(next, message.conversationId, set, context);
    return next;
  }
  const next = set.update('tasks', task, { ...mode, updated_at: context.now });
  if (waits) keepWindow(next, piece, limits ?? context.limits.window, set, context);
  // The agent gets a piece with the other words that its turn begins with.
  const part = composing ? ({ piece: task.lease === 0 ? 'request' : 'answer' } as const) : {};
  taskFact('task.continued', next, set, context, { ...data, ...part });
  return next;
}

/** Its requester goes on writing before anything came of it: a running turn is taken away, and begins again with all of it. */
function restart(task: TaskRow, message: FollowUp, set: WorkingSet, context: Context): TaskRow {
  const row = compositionOf(task, set)!;
  const data = { message: message.id, piece: row.since === task.created_at ? 'request' : 'answer' } as const;
  const active = task.state === 'active';
  if (active) endTurns(task.id, set, context, 'interrupted');
  const next =
    task.state === 'queued'
      ? set.update('tasks', task, { updated_at: context.now })
      : moveTask(task, 'yield', active ? { lease: task.lease + 1 } : {}, set, context, { ...data, why: 'piece' });
  if (task.state === 'queued') taskFact('task.continued', next, set, context, data);
  const limits = windowIn(homeOf(task.conversation_id, set), set, context) ?? context.limits.window;
  startWindow(next, { limits, piece: pieceAfter(row.restarts, message.piece ?? 'finished') }, set, context, { since: row.since });
  if (active) set.update('compositions', row, { restarts: row.restarts + 1 });
  return next;
}

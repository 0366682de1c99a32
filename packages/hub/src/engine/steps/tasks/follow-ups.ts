// More is said in a task that is open: it goes on, or is waited for as long as whoever asked is still writing.

import { type Fragment, pieceAfter } from '@parley/core';
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

/** More was said in it. Only whoever began the chain renews its time by speaking. */
export function continueTask(task: TaskRow, message: FollowUp, set: WorkingSet, context: Context): TaskRow {
  set.insert('task_words', { message_id: message.id, task_id: task.id, kind: 'follow_up' });
  taintTask(task, { kind: 'member', id: message.authorId }, set, context);
  const urgent = message.enters === 'urgent';
  const renews = set.get('chains', task.chain_id)!.requester_id === message.authorId;
  if (urgent && task.state === 'active') {
    const interrupted = interrupt(task, message.id, set, context);
    settleChain(task.chain_id, set, context, renews);
    return interrupted;
  }
  const piece = windowOf(task, set) !== undefined;
  if (message.grows && !piece && message.enters === 'buffered') return restart(task, message, set, context);
  const resumes = task.state === 'waiting' || task.state === 'awaiting_delegation' || task.state === 'awaiting_approval';
  // Only whoever asked is waited for; and they say themselves when it is enough.
  const waits = message.enters !== 'at_once' && task.requester_id === message.authorId && (resumes || piece);
  const limits = waits && !urgent ? windowIn(homeOf(task.conversation_id, set), set, context) : undefined;
  const window = limits && message.piece !== 'done' ? limits : undefined;
  // Not told to the agent by itself: it is among the words its turn begins with.
  const part = task.lease === 0 ? 'request' : 'answer';
  const data = { message: message.id, ...(urgent ? { urgent } : {}), ...(piece ? ({ piece: part } as const) : {}) };
  const mode = urgent ? { mode: urgentMode(task) } : {};
  const next = resumes
    ? moveTask(task, 'resume', window ? mode : { ...mode, asked_in: null }, set, context, data)
    : set.update('tasks', task, { ...mode, updated_at: context.now });
  if (resumes && window) startWindow(next, { limits: window, piece: message.piece ?? 'finished' }, set, context);
  else if (piece && waits) keepWindow(next, window ? (message.piece ?? 'finished') : 'done', window ?? context.limits.window, set, context);
  if (resumes && limits && message.conversationId !== undefined) startComposition(next, message.conversationId, set, context);
  if (next.state === task.state) taskFact('task.continued', next, set, context, data);
  settleChain(task.chain_id, set, context, renews);
  return next;
}

/** Its requester goes on writing before anything came of it: whatever runs is taken away, and begins again with all of it. */
function restart(task: TaskRow, message: FollowUp, set: WorkingSet, context: Context): TaskRow {
  const composition = compositionOf(task, set)!;
  const data = { message: message.id, piece: composition.since === task.created_at ? 'request' : 'answer' } as const;
  const active = task.state === 'active';
  if (active) endTurns(task.id, set, context, 'interrupted');
  const next =
    task.state === 'queued'
      ? set.update('tasks', task, { updated_at: context.now })
      : moveTask(task, 'yield', active ? { lease: task.lease + 1 } : {}, set, context, { ...data, why: 'piece' });
  if (task.state === 'queued') taskFact('task.continued', next, set, context, data);
  const limits = windowIn(homeOf(task.conversation_id, set), set, context) ?? context.limits.window;
  const piece = pieceAfter(composition.restarts, message.piece ?? 'finished');
  startWindow(next, { limits, piece }, set, context, { since: composition.since });
  if (active) set.update('compositions', composition, { restarts: composition.restarts + 1 });
  settleChain(task.chain_id, set, context, set.get('chains', task.chain_id)!.requester_id === message.authorId);
  return next;
}

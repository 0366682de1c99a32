// More is said in a task that is open: it goes on, or is waited for as long as whoever asked is still writing.

import type { TaskRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { interrupt, urgentMode } from './interrupt.ts';
import { taintTask } from './taint.ts';
import { homeOf, moveTask, settleChain, taskFact } from './tasks.ts';
import { keepWindow, startWindow, windowIn, windowOf } from './windows.ts';

export interface MoreSaid {
  id: string;
  authorId: string;
  /** `buffered`: a person's, and enters the turn once they have stopped writing. `urgent`: it does not wait for the turn to end. */
  enters: 'buffered' | 'at_once' | 'urgent';
}

/** More was said in it. Only whoever began the chain renews its time by speaking. */
export function continueTask(task: TaskRow, message: MoreSaid, set: WorkingSet, context: Context): TaskRow {
  set.insert('task_words', { message_id: message.id, task_id: task.id, kind: 'follow_up' });
  taintTask(task, { kind: 'member', id: message.authorId }, set, context);
  const urgent = message.enters === 'urgent';
  const renews = set.get('chains', task.chain_id)!.requester_id === message.authorId;
  if (urgent && task.state === 'active') {
    const interrupted = interrupt(task, message.id, set, context);
    settleChain(task.chain_id, set, context, renews);
    return interrupted;
  }
  const resumes = task.state === 'waiting' || task.state === 'awaiting_delegation' || task.state === 'awaiting_approval';
  const piece = windowOf(task, set) !== undefined;
  // Only whoever asked is waited for; and they say themselves when it is enough.
  const waits = message.enters !== 'at_once' && task.requester_id === message.authorId && (resumes || piece);
  const window = waits && !urgent ? windowIn(homeOf(task.conversation_id, set), set, context) : undefined;
  // Not told to the agent by itself: it is among the words its turn begins with.
  const data = { message: message.id, ...(urgent ? { urgent } : {}), ...(piece ? { piece: task.lease === 0 ? 'request' : 'answer' } : {}) };
  const mode = urgent ? { mode: urgentMode(task) } : {};
  const next = resumes
    ? moveTask(task, 'resume', window ? mode : { ...mode, asked_in: null }, set, context, data)
    : set.update('tasks', task, { ...mode, updated_at: context.now });
  if (resumes && window) startWindow(next, window, set, context);
  else if (piece && waits) keepWindow(next, 'piece', window ?? { ...context.limits.window, quietMs: 0 }, set, context);
  if (next.state === task.state) taskFact('task.continued', next, set, context, data);
  settleChain(task.chain_id, set, context, renews);
  return next;
}

// A sign of typing keeps open what its author is still asking.

import { wantRow } from '../../../store/port.ts';
import { actorOf, type By, type Tx } from '../../command.ts';
import { conversationLock } from '../../steps/facts/conversation-access.ts';
import { keepRound } from '../../steps/offers/offer-rounds.ts';
import { chainLock, homeOf } from '../../steps/tasks/tasks.ts';
import { keepWindow, windowIn, windowOf } from '../../steps/messages/composing-windows.ts';

interface Written {
  taskIds: string[];
  /** The same of what goes round. */
  roundIds?: string[];
}

export interface WindowCommands {
  /** The member is typing: keeps the windows of the tasks that the member is still asking. */
  'compose.typing': [Written, void];
  /** Their author says that nothing follows: they begin at once. */
  'compose.done': [Written, void];
}

const keepWriting = (by: 'typing' | 'done') => ({
  needs: (c: Written) => c.taskIds.map((id) => wantRow('tasks', id)),
  decide: (c: Written & { by: By }, tx: Tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    for (const id of c.taskIds) {
      const task = tx.get('tasks', id);
      if (!task || actor.type !== 'member' || task.requester_id !== actor.id) continue;
      tx.lock(chainLock(task.chain_id));
      if (!windowOf(task, tx)) continue;
      const limits = windowIn(homeOf(task.conversation_id, tx), tx) ?? tx.limits.window;
      keepWindow(task, by, limits, tx);
    }
    for (const id of c.roundIds ?? []) {
      const round = tx.get('rounds', id);
      if (!round || actor.type !== 'member' || round.author_id !== actor.id) continue;
      tx.lock(conversationLock(round.conversation_id));
      keepRound(round, by, windowIn(homeOf(round.conversation_id, tx), tx) ?? tx.limits.window, tx);
    }
  },
});

export const windowHandlers = { 'compose.typing': keepWriting('typing'), 'compose.done': keepWriting('done') };

// A sign of typing keeps open what its author is still asking.

import { actorOf, byWants, type Handler } from '../command.ts';
import { conversationLock } from '../steps/place.ts';
import { keepRound } from '../steps/rounds.ts';
import { chainLock, homeOf } from '../steps/tasks.ts';
import { keepWindow, windowIn, windowOf } from '../steps/windows.ts';

export interface WindowCommands {
  /** Of these tasks, those of whoever types that are still being asked. */
  'compose.typing': [{ taskIds: string[]; /** The same of what goes round. */ roundIds?: string[] }, Record<string, never>];
}

const typing: Handler<'compose.typing'> = {
  locks: () => [],
  needs: (c) => [...byWants(c.by), ...c.taskIds.map((id) => ({ table: 'tasks' as const, values: [id] }))],
  decide: (c, set, context) => {
    const actor = actorOf(c.by, set, context.now);
    for (const id of c.taskIds) {
      const task = set.get('tasks', id);
      if (!task || actor.type === 'operator' || task.requester_id !== actor.id) continue;
      context.lock(chainLock(task.chain_id));
      if (!windowOf(task, set)) continue;
      const limits = windowIn(homeOf(task.conversation_id, set), set, context) ?? context.limits.window;
      keepWindow(task, 'typing', limits, set, context);
    }
    for (const id of c.roundIds ?? []) {
      const round = set.get('rounds', id);
      if (!round || actor.type === 'operator' || round.author_id !== actor.id) continue;
      context.lock(conversationLock(round.conversation_id));
      set.need([{ table: 'conversations', values: [round.conversation_id] }]);
      keepRound(round, 'typing', windowIn(homeOf(round.conversation_id, set), set, context) ?? context.limits.window, set, context);
    }
    return {};
  },
};

export const windowHandlers = { 'compose.typing': typing };

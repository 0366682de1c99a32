// What agents are about to say, shown to whoever is there as long as the agent could say it.

import { letDraft, type Spoken } from '../../engine/steps/floor.ts';
import type { Kernel } from '../../kernel.ts';
import type { Live } from './live.ts';

/** The end of a draft is told only when there was one: most turns have none. */
export function showDrafts(kernel: Kernel, live: Live): Kernel['drafts']['show'] {
  /** By task; null: it is being asked whether it may be shown. */
  const shown = new Map<string, Spoken | null>();
  const tell = ({ task, conversation }: Spoken, text: string | null): void =>
    live.draft(task.agent_id!, task.id, conversation.id, conversation.parent_id ?? conversation.id, text);
  const end = (taskId: string): void => {
    const before = shown.get(taskId);
    shown.delete(taskId);
    if (before) tell(before, null);
  };
  // A task that is over has nothing under way to show, however it ended.
  kernel.tail.listen((facts) => {
    for (const fact of facts) {
      if (fact.subject_id === null || !fact.type.startsWith('task.') || !shown.has(fact.subject_id)) continue;
      void kernel.store
        .rows('tasks', 'where id = ? and open = 0', [fact.subject_id])
        .then(([task]) => (task ? end(task.id) : undefined))
        .catch(() => undefined);
    }
  });
  return async (drafting, text) => {
    const { taskId } = drafting;
    if (text === null) return end(taskId);
    if (!shown.has(taskId)) shown.set(taskId, null);
    try {
      const spoken = await letDraft(kernel.store, drafting);
      // It may have ended while it was asked: then that was told.
      if (!shown.has(taskId)) return;
      shown.set(taskId, spoken);
      tell(spoken, text);
    } catch (error) {
      if (shown.get(taskId) === null) shown.delete(taskId);
      throw error;
    }
  };
}

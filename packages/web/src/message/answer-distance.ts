import type { Message, Task } from '@parley/protocol';
import type { Timeline } from '../state/model.ts';

/** Whether anything but words of its own task lies between an answer and what it answers. */
export function isApartFromRequest(answer: Message, task: Task, timeline: Timeline | undefined): boolean {
  if (task.conversationId !== answer.conversationId) return true;
  const ids = timeline?.ids ?? [];
  for (let at = ids.indexOf(answer.id) - 1; at >= 0; at--) {
    const before = timeline!.messages[ids[at]!]!;
    if (before.id === task.messageId) return false;
    if (before.task?.id !== task.id) return true;
  }
  return false;
}

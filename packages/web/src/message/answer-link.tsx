import { requestTitle } from '@parley/core';
import type { Message } from '@parley/protocol';
import { followLink, messagePath } from '../lib/router.ts';
import { useMe, useMember, useSelect } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { isApartFromRequest } from './answer-distance.ts';

/** Over an answer that does not stand right under what it answers: the way back to that. */
export function AnswerLink({ message }: { message: Message }) {
  const task = useSelect((state) => (message.task?.kind === 'answer' ? state.tasks[message.task.id] : undefined));
  const apart = useSelect((state) => task !== undefined && isApartFromRequest(message, task, state.timelines[message.conversationId]));
  const body = useSelect((state) => (task ? state.timelines[task.conversationId]?.messages[task.messageId]?.body : undefined));
  const requester = useMember(task?.requesterId ?? null);
  const me = useMe();
  if (!task || !apart) return null;
  const whose = task.requesterId === me.id ? 'your request' : `${nameOf(requester)}’s request`;
  const title = body ? requestTitle(body, task.addressedBy.startsWith('agent_')) : '';
  return (
    <a
      href={messagePath(task.conversationId, task.messageId)}
      onClick={followLink}
      data-answers={task.messageId}
      className="block max-w-full truncate rounded text-[13px] text-ink-3 hover:underline"
    >
      in answer to {title === '' ? whose : `“${title}”`}
    </a>
  );
}

import { isOpen } from '@parley/core';
import type { Message } from '@parley/protocol';
import { useMe, useMember, useSelect } from '../state/context.ts';
import { nameOf } from '../state/names.ts';

/** What a message is to its task, in a word beside its time. The answer needs none: it is the message. */
export function TaskWord({ word }: { word: NonNullable<Message['task']> }) {
  const task = useSelect((state) => state.tasks[word.id]);
  const agent = useMember(task?.agentId ?? null);
  const requester = useMember(task?.requesterId ?? null);
  const me = useMe();
  if (word.kind === 'answer') return null;
  const whom = task?.requesterId === me.id ? 'you' : task ? nameOf(requester) : null;
  const texts = {
    // Of a task that has ended nobody is working any more.
    progress: task && !isOpen(task.state) ? 'on the way' : 'working on it',
    question: whom === null ? 'a question' : `asks ${whom}`,
    decline: 'declined',
    result: agent ? `for ^${agent.handle}` : 'a result',
    follow_up: agent ? `to ^${agent.handle}’s open task` : 'to an open task',
  };
  return <span className="text-xs text-ink-3">{texts[word.kind]}</span>;
}

/** Under a question that waits for the reader. */
export function AnswerHint({ word }: { word: NonNullable<Message['task']> }) {
  const mine = useSelect((state) => {
    const task = state.tasks[word.id];
    return word.kind === 'question' && task?.state === 'waiting' && isOpen(task.state) && task.requesterId === state.myId;
  });
  if (!mine) return null;
  return <div className="mt-1 text-[13px] font-medium text-notice">Your next message here answers this.</div>;
}

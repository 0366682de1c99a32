import { provokedText, taskReasons } from '@parley/core';
import type { Message, WakingEvent, Task } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { followLink, messagePath } from '../lib/router.ts';
import { useMe, useMember, useSelect, useWorkspace } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { withHandles } from '../ui/handles.tsx';

const said = {
  answer: 'This is its answer',
  question: 'It asks back',
  progress: 'This is its progress',
  decline: 'It says no',
} as const;

interface Props {
  message: Message;
  /** Undefined: it is not known yet. */
  provoked: WakingEvent | null | undefined;
  onClose: () => void;
}

/** Why an agent spoke at all: what it was asked, by whom, and why it was the one. Nothing for people, who need no reason. */
export function MessageTask({ message, provoked, onClose }: Props) {
  const author = useMember(message.authorId);
  const task = useTaskOf(message);
  const requester = useMember(task?.requesterId ?? null);
  const me = useMe();
  if (provoked) return <Because>{provokedText(provoked)}</Because>;
  if (author?.kind !== 'agent' || (message.task === null && provoked === undefined)) return null;
  const word = message.task?.kind;
  if (message.task === null)
    return <Because>{withHandles(`^${author.handle} was asked to leave here, and says so. It needs no task for that.`)}</Because>;
  if (!task) return null;
  const kind = word !== undefined && word in said ? said[word as keyof typeof said] : 'It speaks';
  const whose = task.requesterId === me.id ? 'you' : nameOf(requester);
  return (
    <Because>
      {kind} in a task of{' '}
      <a
        href={messagePath(task.conversationId, task.messageId)}
        onClick={(event) => {
          followLink(event);
          onClose();
        }}
        className="rounded font-medium text-accent-ink underline underline-offset-2"
      >
        {whose === 'you' ? 'yours' : `${whose}’s`}
      </a>
      : {withHandles(taskReasons[task.addressedBy].replaceAll('{agent}', `^${author.handle}`))}
    </Because>
  );
}

const Because = ({ children }: { children: React.ReactNode }) => (
  <section aria-label="Why it was said" className="mt-3 rounded-lg bg-sunken px-3.5 py-2.5 text-sm text-ink-2">
    {children}
  </section>
);

/** Ended ones are known here only of conversations one has opened; the others are asked for. */
function useTaskOf({ task: word }: Message): Task | undefined {
  const { client } = useWorkspace();
  const known = useSelect((state) => state.tasks[word?.id ?? '']);
  const [fetched, setFetched] = useState<Task>();
  const missing = known === undefined ? word?.id : undefined;
  useEffect(() => {
    if (missing === undefined) return undefined;
    const stop = new AbortController();
    // Without it the verdicts below say what there is to say.
    client.call('getTask', { params: { taskId: missing } }, { signal: stop.signal }).then(setFetched, () => undefined);
    return () => stop.abort();
  }, [client, missing]);
  return known ?? fetched;
}

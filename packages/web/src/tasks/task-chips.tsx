import { isOpen } from '@parley/core';
import type { Message, MyConversation, Task } from '@parley/protocol';
import { useState } from 'react';
import { usePanels } from '../conversation/contexts.ts';
import { followLink, messagePath } from '../lib/router.ts';
import { useSelect } from '../state/context.ts';
import { Icon } from '../ui/icons.tsx';
import { Countdown, Elapsed } from './countdown.tsx';
import { useActivity } from './use-activity.ts';
import { StateMark } from './state-mark.tsx';
import { useFinishComposing, useStopTask, useTask, useTaskNames } from './use-task.ts';
import { editWords, nowWords } from './task-words.ts';

const shownAtFirst = 4;

/** The tasks a message asked for, live under it. */
export function TaskChips({ message, home }: { message: Message; home: MyConversation }) {
  const ids = useSelect((state) => state.asked[message.id]);
  const [all, setAll] = useState(false);
  if (!ids) return null;
  const shown = all || ids.length <= shownAtFirst + 1 ? ids : ids.slice(0, shownAtFirst);
  return (
    <ul aria-label="Tasks" className="mt-1.5 flex flex-wrap gap-1.5">
      {shown.map((id) => (
        <TaskChip key={id} id={id} home={home} editedAt={message.editedAt} />
      ))}
      {shown.length < ids.length && (
        <li>
          <button
            type="button"
            onClick={() => setAll(true)}
            className="h-7 rounded-full px-2.5 text-[13px] font-medium text-accent-ink hover:bg-accent-soft"
          >
            {ids.length - shown.length} more
          </button>
        </li>
      )}
    </ul>
  );
}

interface ChipProps {
  home: MyConversation;
  /** Of the request. */
  editedAt: number | null;
}

function TaskChip({ id, ...rest }: ChipProps & { id: string }) {
  const task = useTask(id);
  return task ? <Chip task={task} {...rest} /> : null;
}

function Chip({ task, home, editedAt }: ChipProps & { task: Task }) {
  const { handle, requester, mayStop } = useTaskNames(task, home);
  const stop = useStopTask();
  const finish = useFinishComposing();
  const { openTasks } = usePanels();
  const open = isOpen(task.state);
  const doing = useActivity(task);
  const words = (
    <>
      <StateMark state={task.state} away={!task.agentOnline} />
      <span className="min-w-0 truncate">
        <span className="font-medium text-ink">{handle}</span> {nowWords(task, requester, doing)} {editWords(task, editedAt)}
      </span>
      {open &&
        (task.composingUntil === null ? (
          <Elapsed task={task} since={doing.since} />
        ) : (
          <>
            <span aria-hidden>·</span>
            <Countdown task={task} />
          </>
        ))}
    </>
  );
  const look = 'flex h-full min-w-0 items-center gap-1.5 rounded-full pl-2.5 hover:bg-hover';
  return (
    <li
      data-task={task.state}
      className="flex h-7 max-w-full items-center rounded-full border border-line bg-canvas text-[13px] text-ink-2"
    >
      {task.answerId !== null ? (
        <a
          href={messagePath(task.conversationId, task.answerId)}
          onClick={followLink}
          title="Go to the answer"
          className={`${look} pr-2.5`}
        >
          {words}
        </a>
      ) : (
        <button type="button" onClick={openTasks} title="Show the tasks here" className={`${look} ${open && mayStop ? 'pr-1' : 'pr-2.5'}`}>
          {words}
        </button>
      )}
      {task.composingUntil !== null && requester === 'you' && (
        <button
          type="button"
          aria-label={`Start ${handle} now`}
          title="Start now (Enter in an empty message)"
          onClick={() => void finish(task.askedIn ?? task.conversationId)}
          className="h-6 shrink-0 rounded-full px-2 font-medium text-accent-ink hover:bg-accent-soft"
        >
          Start now
        </button>
      )}
      {open && mayStop && (
        <button
          type="button"
          aria-label={`Stop ${handle}`}
          title={`Stop ${handle}`}
          onClick={() => void stop(task)}
          className="mr-0.5 flex size-6 shrink-0 items-center justify-center rounded-full text-ink-2 hover:bg-danger-soft hover:text-danger"
        >
          <Icon name="stop" size={15} />
        </button>
      )}
    </li>
  );
}

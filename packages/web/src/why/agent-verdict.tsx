import { isOpen, keptIn, outcomeOfTask, outcomeTexts, policyTexts, taskText } from '@parley/core';
import type { Explanation, MyConversation, Outcome, Task } from '@parley/protocol';
import { useMember, useSelect } from '../state/context.ts';
import { Countdown } from '../tasks/countdown.tsx';
import { StateMark } from '../tasks/state-mark.tsx';
import { useTaskNames } from '../tasks/use-task.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icons.tsx';
import type { Group } from './verdict-groups.ts';

type Verdict = Explanation['agents'][number];

const looks = {
  must_respond: 'bg-accent-soft text-accent-ink',
  may_respond: 'bg-notice-soft text-notice',
  must_not_respond: 'bg-hover text-ink-2',
} as const;

/** The words of the protocol, as the command line and the API give them. */
export const Decision = ({ decided }: { decided: Pick<Verdict, 'policy' | 'mode' | 'reason'> }) => (
  <div className="font-mono text-[11px] break-words text-ink-3">
    {decided.policy} · {decided.mode} · {decided.reason}
  </div>
);

/** A knock is not the words: the knocked agent may ask for them. */
const Label = ({ decided: { policy, mode } }: { decided: Pick<Verdict, 'policy' | 'mode'> }) => (
  <span className={`shrink-0 rounded px-1.5 text-[11px] leading-5 font-medium ${looks[policy]}`}>
    {policy === 'must_respond' && mode === 'notify' ? 'knocked' : policyTexts[policy]}
  </span>
);

/** What became of it stands at the end of the line, or under it where that is short. */
const Became = ({ outcome }: { outcome: Outcome }) => <span className="ml-auto text-xs text-ink-3">{outcomeTexts[outcome]}</span>;

export function AgentVerdict({ verdict, home }: { verdict: Verdict; home: MyConversation }) {
  const member = useMember(verdict.agentId);
  // The answer is as of asking; the task goes on.
  const live = useSelect((state) => state.tasks[verdict.task?.id ?? '']);
  const task = live ?? verdict.task;
  return (
    <li data-verdict={verdict.policy} className="flex gap-3 py-2.5">
      <Avatar member={member} size={32} presence />
      <div className="min-w-0 flex-1 text-sm">
        <div className="flex flex-wrap items-center gap-x-2">
          <span className="min-w-0 truncate font-semibold">^{verdict.handle}</span>
          <Label decided={verdict} />
          <Became outcome={task ? outcomeOfTask[task.state] : verdict.outcome} />
        </div>
        <div className="text-ink-2">{task ? verdict.text : verdict.text + keptIn(verdict.mode)}</div>
        <Decision decided={verdict} />
        {task && <TaskState task={task} home={home} />}
        {verdict.problems.map((problem) => (
          <div key={problem} className="mt-1 text-[13px] break-words text-danger">
            {problem}
          </div>
        ))}
      </div>
    </li>
  );
}

/** `rest`: others are listed before. */
export function GroupVerdict({ group, rest }: { group: Group; rest: boolean }) {
  const { like, handles, count } = group;
  const unnamed = count - handles.length;
  return (
    <li data-verdict={like.policy} className="flex gap-3 py-2.5">
      <span className="flex size-8 shrink-0 items-center justify-center rounded-full bg-hover text-ink-3">
        <Icon name={like.policy === 'must_not_respond' ? 'quiet' : 'people'} size={17} />
      </span>
      <div className="min-w-0 flex-1 text-sm">
        <div className="flex flex-wrap items-center gap-x-2">
          <span className="font-semibold">
            {rest && 'The other '}
            {count === 1 ? '1 agent' : `${count} agents`}
          </span>
          <Label decided={like} />
          {like.outcome && <Became outcome={like.outcome} />}
        </div>
        <div className="text-ink-2">{like.text}</div>
        <Decision decided={like} />
        {handles.length > 0 && (
          <details className="mt-1 text-[13px] text-ink-2">
            <summary className="w-fit cursor-pointer rounded font-medium text-accent-ink">Which?</summary>
            <p className="mt-1 break-words">
              {handles.map((handle) => `^${handle}`).join(', ')}
              {unnamed > 0 && `, and ${unnamed} more`}
            </p>
          </details>
        )}
      </div>
    </li>
  );
}

function TaskState({ task, home }: { task: Task; home: MyConversation }) {
  const { requester } = useTaskNames(task, home);
  return (
    <div className="mt-1 flex items-center gap-1.5 text-[13px] text-ink-2">
      <StateMark state={task.state} away={!task.agentOnline} />
      Its task: {taskText(task, requester)}
      {isOpen(task.state) && <Countdown task={task} />}
    </div>
  );
}

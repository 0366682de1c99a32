import { isOpen, keptIn, outcomeOfTask } from '@parley/core';
import type { Explanation, MyConversation, Outcome, Task } from '@parley/protocol';
import { useMember, useSelect } from '../state/context.ts';
import { Countdown } from '../tasks/countdown.tsx';
import { StateDot } from '../tasks/state-dot.tsx';
import { useTaskNames } from '../tasks/use-task.ts';
import { stateWords } from '../tasks/words.ts';
import { Avatar } from '../ui/avatar.tsx';

type Verdict = Explanation['agents'][number];

const labels = {
  must_respond: { text: 'woken', look: 'bg-accent-soft text-accent-ink' },
  may_respond: { text: 'may answer', look: 'bg-notice-soft text-notice' },
  must_not_respond: { text: 'quiet', look: 'bg-hover text-ink-2' },
} as const;

/** That it kept silent, that it was not to speak, and that it could not are three different things. */
const outcomes: Record<Outcome, string> = {
  answered: 'answered',
  working: 'at it',
  waiting: 'waiting',
  declined: 'chose not to',
  silent: 'kept silent',
  forbidden: 'not to answer',
  withheld: 'nothing to answer in it',
  refused: 'could not be asked',
  not_needed: 'not needed',
  not_asked: 'not asked',
  stopped: 'stopped',
  failed: 'failed',
};

/** The words of the protocol, as the command line and the API give them. */
export const Decision = ({ decided }: { decided: Pick<Verdict, 'policy' | 'mode' | 'reason'> }) => (
  <div className="font-mono text-[11px] text-ink-3">
    {decided.policy} · {decided.mode} · {decided.reason}
  </div>
);

export function AgentVerdict({ verdict, home }: { verdict: Verdict; home: MyConversation }) {
  const member = useMember(verdict.agentId);
  // The answer is as of asking; the task goes on.
  const live = useSelect((state) => state.tasks[verdict.task?.id ?? '']);
  const task = live ?? verdict.task;
  const label = labels[verdict.policy];
  return (
    <li data-verdict={verdict.policy} className="flex gap-3 py-2.5">
      <Avatar member={member} size={32} presence />
      <div className="min-w-0 flex-1 text-sm">
        <div className="flex items-center gap-2">
          <span className="font-semibold">^{verdict.handle}</span>
          <span className={`rounded px-1.5 text-[11px] leading-5 font-medium ${label.look}`}>{label.text}</span>
          <span className="ml-auto text-xs text-ink-3">{outcomes[task ? outcomeOfTask[task.state] : verdict.outcome]}</span>
        </div>
        <div className="text-ink-2">{task ? verdict.text : verdict.text + keptIn(verdict.mode)}</div>
        <Decision decided={verdict} />
        {task && <TaskState task={task} home={home} />}
      </div>
    </li>
  );
}

function TaskState({ task, home }: { task: Task; home: MyConversation }) {
  const { requester } = useTaskNames(task, home);
  return (
    <div className="mt-1 flex items-center gap-1.5 text-[13px] text-ink-2">
      <StateDot state={task.state} away={!task.agentOnline} />
      Its task: {stateWords(task, requester)}
      {isOpen(task.state) && <Countdown task={task} />}
    </div>
  );
}

import { isOpen, requestTitle } from '@parley/core';
import type { Chain, MyConversation, Task } from '@parley/protocol';
import { useState } from 'react';
import { followLink, messagePath, workPath } from '../lib/router.ts';
import { timeOfDay } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useSeconds } from '../lib/use-now.ts';
import { AddKey } from '../notices/add-key.tsx';
import { useSelect, useWorkspace } from '../state/context.ts';
import { IconButton } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Countdown } from './countdown.tsx';
import { RedirectDialog } from './redirect-dialog.tsx';
import { MarkColumn } from './mark-column.tsx';
import { NegotiationLines } from './negotiation-lines.tsx';
import { StateMark } from './state-mark.tsx';
import { ProvokedLine } from './provoked-line.tsx';
import { isHidden, isProvoked, stepsOf, treeOf } from './task-tree.ts';
import type { TreeBranch, TreeStep } from './task-tree.ts';
import { useActivity } from './use-activity.ts';
import { useHome, useStopTask, useTaskNames } from './use-task.ts';
import { chainWords, nowWords, sinceWords } from './task-words.ts';

/** The tasks of one chain that are known here; on demand all of it, as far as one may see it. */
export function ChainView({ tasks, home }: { tasks: Task[]; home: MyConversation }) {
  const { chains } = useWorkspace();
  const { chainId } = tasks[0]!;
  const chain = useSelect((state) => state.chains[chainId]);
  const load = useAction(() => chains.load(chainId));
  if (chain) return <WholeChain chain={chain} beside={tasks} home={home} />;
  return (
    <>
      <Tree branches={treeOf(tasks)} home={home} chainRequesterId={tasks.find((task) => task.parentId === null)?.requesterId ?? null} />
      <div className="mt-1.5 text-xs text-ink-3">
        <button type="button" disabled={load.busy} onClick={load.act} className="rounded font-medium text-accent-ink hover:underline">
          Show the whole chain
        </button>
        <Problem text={load.error} />
      </div>
    </>
  );
}

interface WholeProps {
  chain: Chain;
  /** Tasks that facts have told of, which may be newer than the chain is. */
  beside?: readonly Task[];
  home?: MyConversation | undefined;
}

const none: readonly Task[] = [];

/** Every step of a chain, with those one may not see as hidden ones, and what it has taken. */
export function WholeChain({ chain, beside = none, home }: WholeProps) {
  const live = useSelect((state) => state.tasks);
  const steps = stepsOf(chain, live, beside);
  return (
    <>
      <Tree branches={treeOf([...chain.provoked, ...steps])} home={home} chainRequesterId={chain.requesterId} />
      <NegotiationLines negotiations={chain.negotiations} />
      <ChainLine chain={chain} />
    </>
  );
}

function ChainLine({ chain }: { chain: Chain }) {
  const halted = useSelect((state) => state.halt.halted);
  const now = useSeconds();
  return (
    <p className="mt-1.5 text-xs text-ink-3 tabular-nums">
      <a href={workPath(chain.id)} onClick={followLink} title="This chain alone" className="rounded hover:underline">
        Begun {timeOfDay(chain.startedAt)}
      </a>
      {chainWords(chain, now, halted).map((word) => ` · ${word}`)}
    </p>
  );
}

interface TreeProps {
  branches: TreeBranch[];
  home: MyConversation | undefined;
  chainRequesterId: string | null;
}

function Tree({ branches, home, chainRequesterId }: TreeProps) {
  return (
    <ul className="space-y-2">
      {branches.map(({ step, below }) => (
        <li key={step.id}>
          {isProvoked(step) ? (
            <ProvokedLine step={step} />
          ) : isHidden(step) ? (
            <span data-task="hidden" className="flex items-start gap-2 text-sm text-ink-3 italic">
              <MarkColumn>
                <StateMark state={step.state} />
              </MarkColumn>
              hidden step
            </span>
          ) : (
            <TaskLine task={step} home={home} chainRequesterId={chainRequesterId} />
          )}
          {below.length > 0 && (
            <div className="mt-2 ml-[7px] border-l border-line pl-3.5">
              <Tree branches={below} home={home} chainRequesterId={chainRequesterId} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  task: Exclude<TreeStep, { hidden: true }>;
  home: MyConversation | undefined;
  chainRequesterId: string | null;
}

function TaskLine({ task, home: given, chainRequesterId }: LineProps) {
  const here = useHome(task.conversationId);
  const home = given ?? here;
  const { handle, requester, mayStop } = useTaskNames(task, home, chainRequesterId);
  const stop = useStopTask();
  const now = useSeconds();
  const doing = useActivity(task);
  const [redirecting, setRedirecting] = useState(false);
  const open = isOpen(task.state);
  const said = useSelect((state) => state.timelines[task.conversationId]?.messages[task.messageId]?.body ?? null);
  // The page's own message is newer than the one the chain was fetched with.
  const title = said === null ? ('title' in task ? task.title : null) : requestTitle(said, task.addressedBy.startsWith('agent_'));
  return (
    <div data-task={task.state} className="flex min-h-8 items-start gap-2 text-sm">
      <MarkColumn>
        <StateMark state={task.state} away={!task.agentOnline} />
      </MarkColumn>
      <span className="min-w-0 flex-1 leading-tight">
        <span className="font-semibold">{handle}</span> <span className="text-ink-2">{nowWords(task, requester, doing)}</span>
        {task.failure === 'no_key' && (
          <span className="mt-0.5 block text-[13px] text-ink-2">
            {task.reason !== null && `${task.reason}. `}
            <AddKey />
          </span>
        )}
        {title !== null && title !== '' && (
          <span className="mt-0.5 line-clamp-2 text-[13px] break-words text-ink-2 [overflow-wrap:anywhere]">{title}</span>
        )}
        <span className="mt-0.5 block text-xs text-ink-3 tabular-nums">
          <a href={messagePath(task.conversationId, task.messageId)} onClick={followLink} className="rounded hover:underline">
            asked by {requester}, {timeOfDay(task.createdAt)}
          </a>
          {` · ${sinceWords(task, now)}`}
          {open && (
            <>
              {' · '}
              <Countdown task={task} spelled />
            </>
          )}
          {task.answerId !== null && (
            <>
              {' · '}
              <a
                href={messagePath(task.conversationId, task.answerId)}
                onClick={followLink}
                className="rounded text-accent-ink hover:underline"
              >
                its last word
              </a>
            </>
          )}
        </span>
      </span>
      {open && mayStop && (
        <>
          <IconButton small icon="redirect" label={`Redirect ${handle}`} onClick={() => setRedirecting(true)} />
          <IconButton small icon="stop" label={`Stop ${handle}`} onClick={() => void stop(task)} />
        </>
      )}
      {redirecting && <RedirectDialog task={task} home={home} onClose={() => setRedirecting(false)} />}
    </div>
  );
}

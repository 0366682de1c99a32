import { isOpen } from '@parley/core';
import type { Chain, MyConversation, Task } from '@parley/protocol';
import { useState } from 'react';
import { followLink, messagePath } from '../lib/router.ts';
import { timeLeft, timeOfDay } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useNow } from '../lib/use-now.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { IconButton } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Countdown } from './countdown.tsx';
import { RedirectDialog } from './redirect-dialog.tsx';
import { StateDot } from './state-dot.tsx';
import { isHidden, treeOf } from './tree.ts';
import type { Branch } from './tree.ts';
import { useStopTask, useTaskNames } from './use-task.ts';
import { stateWords } from './words.ts';

/** The tasks of one chain that are known here; on demand all of it, as far as one may see it. */
export function ChainView({ tasks, home }: { tasks: Task[]; home: MyConversation }) {
  const { client } = useWorkspace();
  const [chain, setChain] = useState<Chain | null>(null);
  const live = useSelect((state) => state.tasks);
  const now = useNow();
  const load = useAction(async () => setChain(await client.call('getChain', { params: { chainId: tasks[0]!.chainId } })));
  // The chain is as it was when it was asked for; what the stream tells of its tasks since is newer.
  const known = new Set(chain?.steps.map((step) => step.id));
  const steps = chain
    ? [...chain.steps.map((step) => (isHidden(step) ? step : (live[step.id] ?? step))), ...tasks.filter((task) => !known.has(task.id))]
    : tasks;
  return (
    <>
      <Tree
        branches={treeOf(steps)}
        home={home}
        chainRequesterId={chain?.requesterId ?? tasks.find((task) => task.parentId === null)?.requesterId ?? null}
      />
      <div className="mt-1.5 text-xs text-ink-3">
        {chain ? (
          <span>
            Begun {timeOfDay(chain.startedAt)} · {chain.turns === 1 ? '1 turn' : `${chain.turns} turns`}
            {chain.micros > 0 && ` · ${(chain.micros / 1e6).toFixed(2)} spent`}
            {chain.endedAt === null ? ` · at most ${timeLeft(chain.outerAt - now)} more` : ` · ended ${timeOfDay(chain.endedAt)}`}
          </span>
        ) : (
          <button type="button" disabled={load.busy} onClick={load.act} className="rounded font-medium text-accent-ink hover:underline">
            Show the whole chain
          </button>
        )}
        <Problem text={load.error} />
      </div>
    </>
  );
}

interface TreeProps {
  branches: Branch[];
  home: MyConversation;
  chainRequesterId: string | null;
}

function Tree({ branches, home, chainRequesterId }: TreeProps) {
  return (
    <ul className="space-y-1">
      {branches.map(({ step, below }) => (
        <li key={step.id}>
          {isHidden(step) ? (
            <span className="flex min-h-8 items-center gap-2 text-sm text-ink-3 italic">
              <StateDot state={step.state} />
              hidden step
            </span>
          ) : (
            <TaskLine task={step} home={home} chainRequesterId={chainRequesterId} />
          )}
          {below.length > 0 && (
            <div className="ml-[3px] border-l border-line pl-3.5">
              <Tree branches={below} home={home} chainRequesterId={chainRequesterId} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function TaskLine({ task, home, chainRequesterId }: { task: Task; home: MyConversation; chainRequesterId: string | null }) {
  const { handle, requester, mayStop } = useTaskNames(task, home, chainRequesterId);
  const stop = useStopTask();
  const [redirecting, setRedirecting] = useState(false);
  const open = isOpen(task.state);
  const asked = useSelect((state) => state.timelines[task.conversationId]?.messages[task.messageId]?.body ?? null);
  return (
    <div data-task={task.state} className="flex min-h-8 items-center gap-2 text-sm">
      <StateDot state={task.state} away={!task.agentOnline} />
      <span className="min-w-0 flex-1 leading-tight">
        <span className="font-semibold">{handle}</span> <span className="text-ink-2">{stateWords(task, requester)}</span>
        {asked !== null && <span className="mt-0.5 line-clamp-2 text-[13px] break-words text-ink-2">{asked}</span>}
        <span className="mt-0.5 block text-xs text-ink-3">
          <a href={messagePath(task.conversationId, task.messageId)} onClick={followLink} className="rounded hover:underline">
            asked by {requester}, {timeOfDay(task.createdAt)}
          </a>
          {open && (
            <>
              {' · '}
              <Countdown task={task} />
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

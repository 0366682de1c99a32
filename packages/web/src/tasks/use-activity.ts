import { isOpen } from '@parley/core';
import type { Task } from '@parley/protocol';
import { useSelect } from '../state/context.ts';
import type { TaskActivity } from './task-words.ts';

const none: readonly string[] = [];

/** The page's knowledge of a task at work, from live signs. */
export function useActivity(task: Task): TaskActivity {
  const drafting = useSelect((state) => state.drafts.some(({ taskId }) => taskId === task.id));
  const brain = useSelect((state) => state.agents[task.agentId ?? '']?.brain);
  // As one text: a list made again would be a change each time.
  const delegatedTo = useSelect((state) =>
    Object.values(state.tasks)
      .filter((one) => one.parentId === task.id && isOpen(one.state))
      .flatMap((one) => state.members[one.agentId ?? '']?.handle ?? [])
      .join(' '),
  );
  const asksMe = useSelect((state) =>
    Object.values(state.checkpoints).some(({ agentId, chainId }) => agentId === task.agentId && chainId === task.chainId),
  );
  const tools = useSelect((state) => state.tools[task.id]);
  return {
    drafting,
    brain,
    tools: tools?.names ?? none,
    since: tools?.since ?? 0,
    delegatedTo: delegatedTo === '' ? [] : delegatedTo.split(' '),
    asksMe,
  };
}

import type { MyConversation, Task } from '@parley/protocol';
import { explain } from '../lib/explain.ts';
import { useMe, useMember, useSelect, useWorkspace } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { mayStop } from '../state/rights.ts';
import { withFetched } from '../state/work.ts';
import { toast } from '../ui/toast.tsx';

/** A task with the names of those in it, and whether one may stop it. `home`: the conversation it is in, or its thread hangs in. */
export function useTaskNames(task: Task, home: MyConversation, chainRequesterId?: string | null) {
  const me = useMe();
  const agent = useMember(task.agentId);
  const requester = useMember(task.requesterId);
  return {
    agent,
    handle: agent ? `^${agent.handle}` : task.agentId === null ? '^ANY' : 'an agent',
    requester: task.requesterId === me.id ? 'you' : nameOf(requester),
    mayStop: mayStop(me, task, agent, home, chainRequesterId),
  };
}

export function useStopTask() {
  const { client, store } = useWorkspace();
  return async (task: Task) => {
    try {
      const stopped = await client.call('stopTask', { params: { taskId: task.id } });
      store.update((state) => withFetched(state, [stopped]));
    } catch (error) {
      toast(explain(error), 'danger');
    }
  };
}

export const useTask = (id: string) => useSelect((state) => state.tasks[id]);

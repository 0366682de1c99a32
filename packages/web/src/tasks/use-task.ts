import { addressesIn, directory } from '@parley/core';
import type { MyConversation, Task } from '@parley/protocol';
import { errorText } from '../lib/error-text.ts';
import { useMe, useMember, useSelect, useWorkspace } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { mayStop } from '../state/rights.ts';
import { withFetched } from '../state/work.ts';
import { toast } from '../ui/toast.tsx';

/** The conversation it is in, or its thread hangs in; undefined where one is neither in it nor has looked at it. */
export const useHome = (conversationId: string): MyConversation | undefined =>
  useSelect(({ conversations }) => conversations[conversations[conversationId]?.parentId ?? conversationId]);

/** A task with the names of those in it, and whether one may stop it. `home`: the conversation it is in, or its thread hangs in. */
export function useTaskNames(task: Task, home: MyConversation | undefined, chainRequesterId?: string | null) {
  const me = useMe();
  const agent = useMember(task.agentId);
  const requester = useMember(task.requesterId);
  const role = useCalledRole(task);
  return {
    agent,
    handle: agent ? `^${agent.handle}` : task.agentId === null ? role : 'an agent',
    requester: task.requesterId === me.id ? 'you' : nameOf(requester),
    mayStop: mayStop(me, task, agent, home, chainRequesterId),
  };
}

/** The label of a task without an agent: `^ANY`, or the role that was called; of several it is not known which. */
function useCalledRole(task: Task): string {
  const roles = useSelect((state) => state.roles);
  const body = useSelect((state) => state.timelines[task.conversationId]?.messages[task.messageId]?.body ?? '');
  if (task.addressedBy !== 'role') return '^ANY';
  const book = directory(Object.values(roles).map(({ handle }) => ({ kind: 'role' as const, handle })));
  const called = new Set(addressesIn(body, book).flatMap(({ kind, handle }) => (kind === 'role' ? handle : [])));
  return called.size === 1 ? `^${[...called][0]}` : 'a role';
}

export function useStopTask() {
  const { client, store } = useWorkspace();
  return async (task: Task) => {
    try {
      const stopped = await client.call('stopTask', { params: { taskId: task.id } });
      store.update((state) => withFetched(state, [stopped]));
    } catch (error) {
      toast(errorText(error), 'danger');
    }
  };
}

/** Says that one's request there is complete, so that agents begin at once (C2A-4). */
export function useFinishComposing() {
  const { client } = useWorkspace();
  return async (conversationId: string) => {
    try {
      await client.call('finishComposing', { params: { conversationId } });
    } catch (error) {
      toast(errorText(error), 'danger');
    }
  };
}

export const useTask = (id: string) => useSelect((state) => state.tasks[id]);

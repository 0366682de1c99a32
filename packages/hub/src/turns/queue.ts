// The tasks that wait for an agent, in the order in which they begin.

import { type Priority, queueOrder } from '@parley/core';
import { runsInHub } from '../engine/steps/tasks/tasks.ts';
import type { Reader } from '../store/port.ts';
import { tasksToBegin } from '../store/reads/tasks.ts';
import type { AgentRow, TaskRow } from '../store/tables.ts';

export interface QueuedTask {
  task: TaskRow;
  /** Somebody waits in the call: it runs beside whatever else there is. */
  isAsk: boolean;
}

export async function queueOf(reader: Reader, agent: AgentRow): Promise<QueuedTask[]> {
  // A remote agent holds the tasks it has begun; one that is still being asked has no place in the queue yet.
  const tasks = await tasksToBegin(reader, agent.member_id, runsInHub(agent) ? ['queued', 'active'] : ['queued']);
  const contacts = tasks.length === 0 ? [] : await reader.rows('contacts', { task_id: tasks.map(({ id }) => id) });
  const contactOf = new Map(contacts.map((contact) => [contact.task_id, contact]));
  const queued = tasks.map((task) => {
    const contact = contactOf.get(task.id);
    const isAsk = contact?.action === 'ask';
    const priority: Priority = isAsk ? 'urgent' : (contact?.priority ?? 'normal');
    return { task, isAsk, conversationId: task.conversation_id, seq: task.seq, immediate: task.mode === 'immediate', priority };
  });
  return queueOrder(queued);
}

/** A task that starts in a batch. `behind` is the task before it in its conversation, which it must not overtake. */
export interface StartableTask extends QueuedTask {
  behind: string | undefined;
}
export type RunningTask = 'begun' | 'busy' | 'refused';

/** The tasks that can begin together: of a conversation no more than there may be room for. */
export function startable(queue: readonly QueuedTask[], most: number): StartableTask[] {
  const last = new Map<string, { id: string; count: number }>();
  return queue.flatMap((waiting) => {
    const { task, isAsk } = waiting;
    const before = last.get(task.conversation_id);
    if (isAsk) return { ...waiting, behind: undefined };
    if (before && before.count >= most) return [];
    last.set(task.conversation_id, { id: task.id, count: (before?.count ?? 0) + 1 });
    return { ...waiting, behind: before?.id };
  });
}

/** The tasks that are still to begin: all but those behind one that found no room. A refused task holds up nothing. */
export function stillWaiting(queue: readonly QueuedTask[], tried: readonly StartableTask[], became: readonly RunningTask[]): QueuedTask[] {
  const of = new Map(tried.map(({ task }, i) => [task.id, became[i]!]));
  const full = new Set<string>();
  const repeatedIds = new Set<string>();
  for (const { task, isAsk, behind } of tried) {
    if (isAsk || of.get(task.id) !== 'busy') continue;
    // The hub never looked whether there is room for this task: the one before it did not begin for a reason of its own.
    if (behind !== undefined && (of.get(behind) === 'refused' || repeatedIds.has(behind))) repeatedIds.add(task.id);
    else full.add(task.conversation_id);
  }
  return queue.filter(({ task, isAsk }) => (of.has(task.id) ? repeatedIds.has(task.id) : isAsk || !full.has(task.conversation_id)));
}

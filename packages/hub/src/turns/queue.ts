// What waits for an agent, in the order in which it is to begin.

import { type Priority, queueOrder } from '@parley/core';
import { inList } from '../engine/look.ts';
import { runsInHub } from '../engine/steps/tasks.ts';
import type { Reader } from '../store/port.ts';
import type { AgentRow, TaskRow } from '../store/tables.ts';

export interface Waiting {
  task: TaskRow;
  /** Somebody waits in the call: it runs beside whatever else there is. */
  isAsk: boolean;
}

export async function queueOf(reader: Reader, agent: AgentRow): Promise<Waiting[]> {
  // What a remote agent has begun it holds itself; what is still being asked is not behind or before anything yet.
  const states = runsInHub(agent) ? "('queued', 'active')" : "('queued')";
  const tasks = await reader.rows(
    'tasks',
    `where agent_id = ? and open = 1 and state in ${states} and id not in (select task_id from windows)`,
    [agent.member_id],
  );
  const list = inList(tasks.map(({ id }) => id));
  const contacts = tasks.length === 0 ? [] : await reader.rows('contacts', `where task_id in ${list.sql}`, list.params);
  const contactOf = new Map(contacts.map((contact) => [contact.task_id, contact]));
  const queued = tasks.map((task) => {
    const contact = contactOf.get(task.id);
    const isAsk = contact?.action === 'ask';
    const priority: Priority = isAsk ? 'urgent' : (contact?.priority ?? 'normal');
    return { task, isAsk, conversationId: task.conversation_id, seq: task.seq, immediate: task.mode === 'immediate', priority };
  });
  return queueOrder(queued);
}

/** How many can be begun without knowing what became of another: up to the second of a conversation. */
export function firstAgain(queue: readonly Waiting[]): number {
  const seen = new Set<string>();
  const at = queue.findIndex(({ task, isAsk }) => {
    if (isAsk) return false;
    const again = seen.has(task.conversation_id);
    seen.add(task.conversation_id);
    return again;
  });
  return at === -1 ? queue.length : at;
}

// What an `ask` came to, from the rows.

import { askedSilently, closedSilently, contactResults, failureReasons } from '@parley/core';
import type { ContactOutcome } from '@parley/protocol';
import { factData } from '../../store/fact-data.ts';
import type { Store } from '../../store/port.ts';
import type { TaskRow } from '../../store/tables.ts';

/** Undefined: it is still waited for. */
export async function askOutcome(store: Store, taskId: string, name: string): Promise<ContactOutcome | undefined> {
  const [contact] = await store.rows('contacts', { task_id: taskId });
  if (!contact || contact.state === 'pending') return undefined;
  if (contact.state === 'late') {
    const [parent] = await store.rows('tasks', { id: contact.parent_id });
    if (parent?.open === 1) return { text: contactResults.noResponse(name), status: 'timed_out', taskId };
    return { text: contactResults.failed(name, failureReasons.parent_ended), status: 'failed', taskId };
  }
  const [task] = await store.rows('tasks', { id: taskId });
  // It asks back: that is its answer for now, and the reply continues the task.
  if (task!.open === 1) {
    const question = await bodyOf(store, contact.result_id);
    return { text: contactResults.response(name, question ?? askedSilently), status: 'answered', taskId };
  }
  const said = await bodyOf(store, task!.answer_id);
  if (task!.state === 'completed' && (said !== null || task!.answer_id === null))
    return { text: contactResults.response(name, said ?? closedSilently), status: 'answered', taskId };
  const reason = task!.state === 'declined' && said !== null ? said : await reasonOf(store, task!);
  return { text: contactResults.failed(name, reason), status: 'failed', taskId };
}

async function bodyOf(store: Store, messageId: string | null): Promise<string | null> {
  const [message] = messageId === null ? [] : await store.rows('messages', { id: messageId });
  return message?.body ?? null;
}

/** In the platform's words, as the fact of its end has them. */
async function reasonOf(store: Store, { id, cause }: TaskRow): Promise<string> {
  const facts = await store.rows('facts', { subject_id: id, type: 'task.fail' });
  const [reason] = facts.flatMap((fact) => factData(fact, 'task.fail')?.reason ?? []);
  return reason ?? failureReasons[cause!];
}

// A resumed agent's own work in a task: its calls, its delegations, and its pending work (IAC-6). For the prompt of a model
// and for the event of a remote agent alike.

import { type CallRecord, confirmedText, holdsAny, isListed, recordOf, approvalResults } from '@parley/core';
import type { AnsweredApproval } from '@parley/protocol';
import { confirmedOutcome, unknownOutcome } from '../engine/steps/approvals/unknown-outcomes.ts';
import { egressIn, givenNotes, valueOf } from '../engine/steps/facts/tagged-values.ts';
import { hearersOfTask } from '../engine/steps/tasks/notes.ts';
import { readRows } from '../engine/decision-reads.ts';
import { type Reader, wantBy } from '../store/port.ts';
import { toolSteps, answeredApprovals } from '../store/reads/tasks.ts';
import type { TaskRow } from '../store/tables.ts';
import { messagesById } from './words-in-task.ts';
import { wordOf } from '../store/stored-values.ts';

/** A call that waits for a person's answer. `input` is null where it holds private values. */
export interface PendingApproval {
  id: string;
  name: string;
  input: string | null;
}

/** In the order they were made. `turnId`: the turn under way, whose own steps it knows. */
export async function earlierCalls(store: Reader, task: TaskRow, agentId: string, turnId?: string): Promise<CallRecord[]> {
  const steps = await toolSteps(store, task.id, agentId, turnId);
  // A read that is not kept is of no use to anybody.
  const listedSteps = steps.filter((step) => isListed(step) && !(step.read_only === 1 && step.input === 'null'));
  if (listedSteps.length === 0) return [];
  const [mark] = await store.rows('forgotten_calls', { task_id: task.id });
  const isPrivate = await privateIn(store, task);
  return listedSteps.map((step) =>
    recordOf(
      {
        ...step,
        // A person confirmed it, and nobody knows its result.
        ...(step.result === confirmedOutcome ? { result: JSON.stringify(confirmedText(step.name)) } : {}),
        done: step.done_at !== null || step.read_only === 1,
        unknown: step.result === unknownOutcome,
        forgotten: mark !== undefined && step.intended_at <= mark.at,
      },
      isPrivate,
    ),
  );
}

/** Strict about notes: a turn that may have them has them from its prompt (SYS-6). */
async function privateIn(store: Reader, task: TaskRow): Promise<(text: string) => boolean> {
  const values = await readRows(store, [wantBy('tags', 'chain', task.chain_id)], (set) =>
    set
      .find('tags', 'chain', task.chain_id)
      .filter((tag) => valueOf(tag).field === givenNotes || !egressIn([valueOf(tag)], hearersOfTask(task, set), set).ok)
      .flatMap(({ held }) => JSON.parse(held) as string[]),
  );
  return (text) => values.length > 0 && holdsAny(text, values);
}

export async function pendingApprovals(store: Reader, task: TaskRow, agentId: string): Promise<PendingApproval[]> {
  const rows = await store.rows('approvals', { task_id: task.id, agent_id: agentId, state: 'pending' }, { order: ['at', 'id'] });
  if (rows.length === 0) return [];
  const isPrivate = await privateIn(store, task);
  return rows.map(({ id, name, input }) => ({ id, name, input: input === 'null' || isPrivate(input) ? null : input }));
}

/** The requests to its sub-tasks, by sub-task; without deleted words. */
export async function requestsOf(store: Reader, children: readonly TaskRow[]): Promise<Record<string, string>> {
  const messages = await messagesById(
    store,
    children.map(({ message_id }) => message_id),
  );
  return Object.fromEntries(
    children.flatMap(({ id, message_id }) => (messages.get(message_id)?.body ? [[id, messages.get(message_id)!.body!]] : [])),
  );
}

// Calls of a task that a person has answered, or nobody has: for its agent, when it goes on.

/** Used approvals are left out; but a resumed turn gets those that it has used itself. */
export async function answeredCalls(store: Reader, taskId: string, agentId: string, turnId?: string): Promise<AnsweredApproval[]> {
  const rows = await answeredApprovals(store, taskId, agentId, turnId);
  if (rows.length === 0) return [];
  const targets = await store.rows('members', { id: rows.flatMap(({ target_id }) => target_id ?? []) });
  return rows.map(({ id, name, input, state, target_id }) => {
    const outcome = state === 'used' ? 'approved' : (wordOf(state) as AnsweredApproval['state']);
    const target = targets.find((member) => member.id === target_id)?.handle;
    return { id, name, input: JSON.parse(input) as unknown, state: outcome, text: approvalResults[outcome]({ agent: '', name, target }) };
  });
}

// The context of a turn: who asks, the messages of the task, the outcome of its delegations.

import type { CallRecord } from '@parley/core';
import type { SubTask, BrainTurn, TaskWord } from '../brains/brain.ts';
import type { Store } from '../store/port.ts';
import { membersById } from '../store/reads/members.ts';
import type { MemberRow, MessageRow, TaskRow } from '../store/tables.ts';
import { answeredCalls, earlierCalls, type PendingApproval, pendingApprovals, requestsOf } from './earlier-calls.ts';
import { lastSaidIn, messagesById, saidIn } from './words-in-task.ts';

export interface TurnContext extends Pick<BrainTurn, 'me' | 'requester' | 'words' | 'given' | 'history' | 'approved' | 'refused'> {
  /** The members of a DM (IAC-11). A context of an older version has none. */
  present?: Pick<MemberRow, 'handle' | 'kind'>[];
  /** The agent's calls in earlier turns of the task, in order (IAC-6). */
  calls?: CallRecord[];
  /** Calls that wait for a person's answer. */
  asking?: PendingApproval[];
  /** The agent's requests to its sub-tasks, by sub-task. */
  requests?: Record<string, string>;
}

/** Everything said in the task up to now, in order, and by whom. */
export async function wordsOf(store: Store, task: TaskRow): Promise<TaskWord[]> {
  const words = await saidIn(store, task);
  const members = await membersById(
    store,
    words.map(({ authorId }) => authorId),
  );
  return words.map(({ kind, text, message, authorId, signal }) => ({
    by: members.get(authorId ?? ''),
    kind,
    text,
    messageId: message.id,
    ...(message.version > 1 ? { edited: true as const } : {}),
    ...(signal ? { signal } : {}),
  }));
}

/** `past`: the earlier messages that may be known here, the oldest first. `turnId`: a resumed turn gets the calls it has made since. */
export async function contextOf(
  store: Store,
  task: TaskRow,
  agentId: string,
  past: readonly MessageRow[],
  turnId?: string,
): Promise<TurnContext> {
  const children = await store.rows('tasks', { parent_id: task.id }, { order: 'seq' });
  const contacts = await store.rows('contacts', { parent_id: task.id });
  const untold = new Set(contacts.filter(({ state }) => state === 'ended' || state === 'asked').map(({ task_id }) => task_id));
  const resultIds = new Map(contacts.flatMap(({ task_id, result_id }) => (result_id === null ? [] : [[task_id, result_id]])));
  const last = await lastSaidIn(
    store,
    // A later result gets a turn of its own.
    children.filter(({ id }) => !untold.has(id)),
  );
  const messages = await messagesById(store, [...last.values()]);
  const answeredSteps = await answeredCalls(store, task.id, agentId, turnId);
  const members = await membersById(store, [
    agentId,
    task.requester_id,
    ...children.map((child) => child.agent_id),
    ...past.map((message) => message.author_id),
  ]);
  return {
    present: await presentIn(store, task),
    calls: await earlierCalls(store, task, agentId, turnId),
    asking: await pendingApprovals(store, task, agentId),
    requests: await requestsOf(store, children),
    approved: answeredSteps.filter(({ state }) => state === 'approved').map(({ id, name, input }) => ({ id, name, input })),
    refused: answeredSteps.filter(({ state }) => state !== 'approved').map(({ id, name, input, text }) => ({ id, name, input, text })),
    me: members.get(agentId)!,
    requester: members.get(task.requester_id ?? ''),
    words: await wordsOf(store, task),
    history: past.flatMap(({ id, author_id, body }) =>
      body === null ? [] : [{ by: members.get(author_id ?? ''), kind: 'history' as const, text: body, messageId: id }],
    ),
    given: children.map((child): SubTask => ({
      task: child,
      agent: members.get(child.agent_id ?? ''),
      words: messages.get(last.get(child.id) ?? '')?.body ?? undefined,
      toldIn: resultIds.get(child.id),
    })),
  };
}

async function presentIn(store: Store, task: TaskRow): Promise<Pick<MemberRow, 'handle' | 'kind'>[]> {
  const [where] = await store.rows('conversations', { id: task.conversation_id });
  if (!where || where.dm_key === null) return [];
  const members = await membersById(store, where.dm_key.split(','));
  return [...members.values()].map(({ handle, kind }) => ({ handle, kind }));
}

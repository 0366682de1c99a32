// What a turn is given to work with: who asks, what was said in the task, what became of what it gave on.

import type { SubTask, Turn, Word } from '../brains/brain.ts';
import { inList } from '../engine/look.ts';
import type { Store } from '../store/port.ts';
import type { MemberRow, MessageRow, TaskRow } from '../store/tables.ts';

export type Context = Pick<Turn, 'me' | 'requester' | 'words' | 'given'>;

async function membersById(store: Store, ids: (string | null)[]): Promise<Map<string, MemberRow>> {
  const list = inList([...new Set(ids.flatMap((id) => id ?? []))]);
  return new Map((await store.rows('members', `where id in ${list.sql}`, list.params)).map((member) => [member.id, member]));
}

async function messagesById(store: Store, ids: string[]): Promise<Map<string, MessageRow>> {
  const list = inList([...new Set(ids)]);
  return new Map((await store.rows('messages', `where id in ${list.sql}`, list.params)).map((message) => [message.id, message]));
}

/** Everything said in the task up to now, in order. */
export async function wordsOf(store: Store, task: TaskRow): Promise<Word[]> {
  const said = await store.rows('task_words', 'where task_id = ?', [task.id]);
  const kinds = new Map<string, Word['kind']>(said.map((word) => [word.message_id, word.kind]));
  kinds.set(task.message_id, 'request');
  const messages = await messagesById(store, [...kinds.keys()]);
  const members = await membersById(
    store,
    [...messages.values()].map((message) => message.author_id),
  );
  return [...messages.values()]
    .toSorted((a, b) => a.seq - b.seq)
    .map((message) => ({
      by: members.get(message.author_id ?? ''),
      kind: kinds.get(message.id)!,
      text: message.body ?? '',
      messageId: message.id,
    }));
}

export async function contextOf(store: Store, task: TaskRow, agentId: string): Promise<Context> {
  const children = await store.rows('tasks', 'where parent_id = ? order by seq', [task.id]);
  const list = inList(children.map((child) => child.id));
  const asked = await store.rows('task_words', `where task_id in ${list.sql} and kind = 'question'`, list.params);
  const messages = await messagesById(store, [
    ...children.flatMap((child) => child.answer_id ?? []),
    ...asked.map((word) => word.message_id),
  ]);
  const members = await membersById(store, [agentId, task.requester_id, ...children.map((child) => child.agent_id)]);
  const lastWords = (child: TaskRow): string | undefined => {
    if (child.answer_id !== null) return messages.get(child.answer_id)?.body ?? undefined;
    if (child.state !== 'waiting') return undefined;
    const questions = asked.filter((word) => word.task_id === child.id).flatMap((word) => messages.get(word.message_id) ?? []);
    return questions.toSorted((a, b) => b.seq - a.seq)[0]?.body ?? undefined;
  };
  return {
    me: members.get(agentId)!,
    requester: members.get(task.requester_id ?? ''),
    words: await wordsOf(store, task),
    given: children.map((child): SubTask => ({ task: child, agent: members.get(child.agent_id ?? ''), words: lastWords(child) })),
  };
}

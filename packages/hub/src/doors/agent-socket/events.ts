// What an agent is told, made from the facts that concern it. A fact names things; what they hold is looked up when it
// is told, so that what was deleted meanwhile is not told any more.

import { addresses, directory } from '@parley/core';
import type { AgentEvent } from '@parley/protocol';
import { inList } from '../../engine/look.ts';
import type { PlacedFact, Store } from '../../store/port.ts';
import type { MemberRow, MessageRow, TaskRow } from '../../store/tables.ts';
import { taskViews } from '../../views/tasks.ts';

/** Facts about an agent's tasks that it is told of; what it did itself it knows. */
const kinds: Readonly<Record<string, AgentEvent['kind']>> = {
  'task.begin': 'task',
  'task.continued': 'follow_up',
  'task.result': 'result',
  'task.resume': 'result', // it waited for that
  'task.flagged': 'flagged',
  'task.fail': 'ended',
  'task.time_out': 'ended',
  'task.cancel': 'ended',
};
export const toldTypes = Object.keys(kinds);

interface FactData {
  lease?: number;
  message?: string;
  child?: string;
  state?: string;
  cause?: string;
  reason?: string;
}

/** Undefined: it has been overtaken, and something later says how it stands. */
export async function eventOf(store: Store, agentId: string, fact: PlacedFact): Promise<AgentEvent | undefined> {
  const kind = fact.type === 'task.opened' ? 'offer' : kinds[fact.type];
  const [task] = await store.rows('tasks', 'where id = ?', [fact.subject_id]);
  if (!task || !kind) return undefined;
  if (kind === 'offer' ? task.agent_id !== null || task.open === 0 : task.agent_id !== agentId) return undefined;
  const data = JSON.parse(fact.data) as FactData;
  // Resumed by what its requester said: that is among the words of the turn that begins.
  if (kind === 'result' && data.child === undefined) return undefined;
  if (kind === 'task' && (task.state !== 'active' || task.lease !== data.lease)) return undefined;
  const child = data.child === undefined ? undefined : (await store.rows('tasks', 'where id = ?', [data.child]))[0];
  const about = kind === 'result' ? await saidBy(store, child) : (data.message ?? task.message_id);
  return describe(store, task, kind, fact, data, about ?? null);
}

/** A sub-task's last word, or the question it waits with. */
async function saidBy(store: Store, child: TaskRow | undefined): Promise<string | null> {
  if (child?.state !== 'waiting') return child?.answer_id ?? null;
  const [question] = await store.all<{ id: string }>(
    `select m.id as id from task_words w join messages m on m.id = w.message_id
     where w.task_id = ? and w.kind = 'question' order by m.seq desc limit 1`,
    [child.id],
  );
  return question?.id ?? null;
}

async function describe(
  store: Store,
  task: TaskRow,
  kind: AgentEvent['kind'],
  fact: PlacedFact,
  data: FactData,
  messageId: string | null,
): Promise<AgentEvent> {
  const said = kind === 'task' ? await store.rows('task_words', 'where task_id = ?', [task.id]) : [];
  const messages = await messagesById(store, [task.message_id, ...said.map((word) => word.message_id), ...(messageId ? [messageId] : [])]);
  // With a task's end its reading ends, too: its agent may have been taken out of the room while it was away.
  const message = messageId === null || task.open === 0 ? undefined : messages.get(messageId);
  const [author] = message ? await store.rows('members', 'where id = ?', [message.author_id ?? '']) : [];
  const [conversation] = await store.rows('conversations', 'where id = ?', [task.conversation_id]);
  const [view] = await taskViews(store, [task]);
  const live = kind === 'task' || kind === 'follow_up' || kind === 'result' || kind === 'offer';
  return {
    eventId: `${fact.epoch}:${fact.seq}`,
    kind,
    conversation: { id: task.conversation_id, kind: conversation!.kind },
    author: author ? authorOf(author) : null,
    addressedToMe: kind === 'task' || kind === 'follow_up',
    policy: kind === 'offer' ? 'may_respond' : live ? 'must_respond' : 'must_not_respond',
    mode: kind === 'ended' ? 'immediate' : task.mode,
    reason: kind === 'follow_up' ? 'follow_up' : task.addressed_by,
    messageId,
    content: message?.body ?? null,
    recipients: message?.body ? await recipients(store, conversation!.parent_id ?? conversation!.id, message.body) : [],
    words: kind === 'task' ? wordsOf(task, said, messages) : [],
    createdAt: message?.created_at ?? fact.at,
    chain: { id: task.chain_id, depth: task.depth, path: JSON.parse(task.path) as string[], endsAt: view!.timer?.endsAt ?? null },
    task: view!,
    lease: task.open === 1 && kind !== 'offer' ? task.lease : null,
    cause: data.cause ?? data.reason ?? data.state ?? null,
  };
}

const authorOf = (member: MemberRow): AgentEvent['author'] => ({
  id: member.id,
  kind: member.kind,
  handle: member.handle,
  displayName: member.display_name,
});

function wordsOf(
  task: TaskRow,
  said: { message_id: string; kind: AgentEvent['words'][number]['kind'] }[],
  messages: ReadonlyMap<string, MessageRow>,
): AgentEvent['words'] {
  return [{ message_id: task.message_id, kind: 'request' as const }, ...said]
    .flatMap(({ message_id, kind }) => {
      const message = messages.get(message_id);
      return !message || message.body === null
        ? []
        : [{ seq: message.seq, word: { messageId: message.id, authorId: message.author_id, kind, content: message.body } }];
    })
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ word }) => word);
}

async function messagesById(store: Store, ids: string[]): Promise<Map<string, MessageRow>> {
  const list = inList([...new Set(ids)]);
  const { rows } = await store.intact('messages', `where id in ${list.sql}`, list.params);
  return new Map(rows.map((message) => [message.id, message]));
}

/** Handles of those here whom the text addresses. */
async function recipients(store: Store, homeId: string, body: string): Promise<string[]> {
  if (!/[\^@]/.test(body)) return [];
  const members = await store.all<{ handle: string; kind: 'human' | 'agent' }>(
    'select m.handle as handle, m.kind as kind from members m join memberships s on s.member_id = m.id where s.conversation_id = ? limit 2000',
    [homeId],
  );
  return addresses(body, directory(members))
    .filter((address) => address.kind !== 'unknown')
    .map((address) => address.handle);
}

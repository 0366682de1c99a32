// What an agent is told, made from the facts that concern it. A fact names things; what they hold is looked up when it
// is told, so that what was deleted meanwhile is not told any more.

import { addresses, directory, goodbyeMs } from '@parley/core';
import type { AgentEvent, Delivery, LeaveEvent, Signal, SignalMeaning } from '@parley/protocol';
import type { PlacedFact, Store } from '../../store/port.ts';
import type { MemberRow, TaskRow } from '../../store/tables.ts';
import { lastSaidIn, messagesById, saidIn } from '../../turns/words.ts';
import { taskViews } from '../../views/tasks.ts';

/** Facts about an agent's tasks that it is told of; what it did itself it knows. */
const kinds: Readonly<Record<string, AgentEvent['kind']>> = {
  'task.begin': 'task',
  'task.continued': 'follow_up',
  'task.result': 'result',
  'task.resume': 'result', // it waited for that
  'task.flagged': 'flagged',
  'task.signal': 'signal',
  'task.fail': 'ended',
  'task.time_out': 'ended',
  'task.cancel': 'ended',
};
const left = 'agent.left';
export const toldTypes = [...Object.keys(kinds), left];

interface FactData {
  lease?: number;
  message?: string;
  child?: string;
  state?: string;
  cause?: string;
  reason?: string;
  signal?: Signal;
  meaning?: SignalMeaning;
}

/** Undefined: it has been overtaken, and something later says how it stands. */
export async function eventOf(store: Store, agentId: string, fact: PlacedFact): Promise<Delivery['event'] | undefined> {
  if (fact.type === left) return leaveOf(store, agentId, fact);
  const kind = fact.type === 'task.opened' ? 'offer' : kinds[fact.type];
  const [task] = await store.rows('tasks', 'where id = ?', [fact.subject_id]);
  if (!task || !kind) return undefined;
  if (kind === 'offer' ? task.agent_id !== null || task.open === 0 : task.agent_id !== agentId) return undefined;
  const data = JSON.parse(fact.data) as FactData;
  // Resumed by what its requester said: that is among the words of the turn that begins.
  if (kind === 'result' && data.child === undefined) return undefined;
  if (kind === 'task' && (task.state !== 'active' || task.lease !== data.lease)) return undefined;
  const children = data.child === undefined ? [] : await store.rows('tasks', 'where id = ?', [data.child]);
  const about = kind === 'result' ? (await lastSaidIn(store, children)).get(data.child!) : (data.message ?? task.message_id);
  return describe(store, task, kind, fact, data, about ?? null);
}

async function describe(
  store: Store,
  task: TaskRow,
  kind: AgentEvent['kind'],
  fact: PlacedFact,
  data: FactData,
  messageId: string | null,
): Promise<AgentEvent> {
  const said = kind === 'task' ? await saidIn(store, task) : [];
  // With a task's end its reading ends, too: its agent may have been taken out of the room while it was away.
  const message = messageId === null || task.open === 0 ? undefined : (await messagesById(store, [messageId])).get(messageId);
  const isSignal = kind === 'signal';
  // Whoever signalled; the words they did it on are the agent's own.
  const authorId = isSignal ? fact.actor_id : message?.author_id;
  const [author] = typeof authorId === 'string' ? await store.rows('members', 'where id = ?', [authorId]) : [];
  const [conversation] = await store.rows('conversations', 'where id = ?', [task.conversation_id]);
  const [view] = await taskViews(store, [task]);
  const live = kind === 'task' || kind === 'follow_up' || kind === 'result' || kind === 'offer';
  return {
    eventId: `${fact.epoch}:${fact.seq}`,
    kind,
    conversation: { id: task.conversation_id, kind: conversation!.kind },
    author: author ? authorOf(author) : null,
    addressedToMe: kind === 'task' || kind === 'follow_up',
    policy: kind === 'offer' || goesOn(data) ? 'may_respond' : live ? 'must_respond' : 'must_not_respond',
    mode: kind === 'ended' ? 'immediate' : isSignal && !goesOn(data) ? 'tool_mailbox' : task.mode,
    reason: kind === 'follow_up' || isSignal ? kind : task.addressed_by,
    messageId,
    content: isSignal ? null : (message?.body ?? null),
    recipients: message?.body && !isSignal ? await recipients(store, conversation!.parent_id ?? conversation!.id, message.body) : [],
    words: said.map((word) => ({
      messageId: word.message.id,
      authorId: word.authorId,
      kind: word.kind,
      content: word.text,
      ...(word.signal ? { signal: word.signal } : {}),
    })),
    createdAt: isSignal ? fact.at : (message?.created_at ?? fact.at),
    chain: { id: task.chain_id, depth: task.depth, path: JSON.parse(task.path) as string[], endsAt: view!.timer?.endsAt ?? null },
    task: view!,
    lease: task.open === 1 && kind !== 'offer' ? task.lease : null,
    cause: data.cause ?? data.reason ?? data.state ?? null,
    ...(data.signal && data.meaning ? { signal: { signal: data.signal, meaning: data.meaning } } : {}),
  };
}

const goesOn = ({ meaning }: FactData): boolean => meaning === 'proceed' || meaning === 'revise';

/** Undefined: it was called back meanwhile. */
async function leaveOf(store: Store, agentId: string, fact: PlacedFact): Promise<LeaveEvent | undefined> {
  const { conversation: id } = JSON.parse(fact.data) as { conversation: string };
  const [row] = await store.rows('leaves', 'where conversation_id = ? and member_id = ?', [id, agentId]);
  if (row?.at !== fact.at) return undefined;
  const [conversation] = await store.rows('conversations', 'where id = ?', [id]);
  const [author] = row.asked_by === null ? [] : await store.rows('members', 'where id = ?', [row.asked_by]);
  return {
    eventId: `${fact.epoch}:${fact.seq}`,
    kind: 'leave',
    conversation: { id, kind: conversation!.kind },
    author: author ? authorOf(author) : null,
    addressedToMe: true,
    policy: row.goodbye_id === null ? 'may_respond' : 'must_not_respond',
    mode: 'immediate',
    reason: 'asked_to_leave',
    messageId: row.message_id,
    // It is not its to read any more.
    content: null,
    recipients: [],
    words: [],
    createdAt: fact.at,
    goodbyeUntil: row.at + goodbyeMs,
    chain: null,
    task: null,
    lease: null,
    cause: null,
  };
}

const authorOf = (member: MemberRow): AgentEvent['author'] => ({
  id: member.id,
  kind: member.kind,
  handle: member.handle,
  displayName: member.display_name,
});

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

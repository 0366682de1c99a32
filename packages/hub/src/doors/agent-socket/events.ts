// An agent's events, made from the facts that concern it. A fact names things; their content is read when the event is
// sent, so that deleted content is not sent any more.

import { goodbyeMs, obligationTopic, shownCalls, taskPolicy, topicOf } from '@parley/core';
import type { AgentEvent, Delivery, LeaveEvent } from '@parley/protocol';
import { readRows } from '../../engine/decision-reads.ts';
import { conversationWants } from '../../engine/steps/facts/conversation-access.ts';
import { namedIn } from '../../engine/steps/conversations/addressable-members.ts';
import { type FactData, factData, type FactType } from '../../store/fact-data.ts';
import type { PlacedFact, Reader } from '../../store/port.ts';
import { openTasksOf, textSizes } from '../../store/reads/tasks.ts';
import { roleOfTask } from '../../store/reads/members.ts';
import type { ConversationRow, TaskRow } from '../../store/tables.ts';
import { answeredCalls, earlierCalls, pendingApprovals, requestsOf } from '../../turns/earlier-calls.ts';
import { flagText, lastSaidIn, messagesById, saidIn } from '../../turns/words-in-task.ts';
import { taskViews } from '../../views/tasks.ts';
import { digestOf, digestType, authorView, plainEvent } from './conversation-events.ts';

/** The facts about an agent's tasks that become events; it knows of its own acts. */
const kinds = {
  'task.begin': 'task',
  'task.continued': 'follow_up',
  'task.corrected': 'correction',
  'task.result': 'result',
  'task.resume': 'result', // it waited for that
  'task.approval': 'approval', // while it is at something else
  'task.knocked': 'obligation',
  'task.flagged': 'flagged',
  'task.signal': 'signal',
  'task.decline': 'ended', // by the platform; what it declined itself it knows
  'task.fail': 'ended',
  'task.time_out': 'ended',
  'task.cancel': 'ended',
  'task.lost': 'ended',
} as const satisfies Partial<Record<FactType, AgentEvent['kind']>>;
const left = 'agent.left';
const kindTypes = Object.keys(kinds) as (keyof typeof kinds)[];
export const toldTypes: readonly FactType[] = [...kindTypes, left, digestType];
/** After these facts no agent holds the task, so each agent that may take it gets an event. */
export const offerTypes: ReadonlySet<FactType> = new Set(['task.opened', 'task.ready', 'task.release']);
/** Its turn with what goes round on an open floor. */
export const roundType = 'round.asked';

type AnyOf<U> = { [K in U extends U ? keyof U : never]?: U extends Partial<Record<K, infer V>> ? V : never };
/** Each key that one of them may have. */
type TaskData = AnyOf<FactData[keyof typeof kinds | 'task.opened']>;
const taskData = (fact: PlacedFact): TaskData => factData(fact, ...kindTypes, 'task.opened') ?? {};

/** Bytes that each fact may bring with it, at most: all that was said in its task, or the message that it names. */
export async function sizesOf(store: Reader, facts: readonly PlacedFact[]): Promise<number[]> {
  const named = facts.map((fact) => taskData(fact).message ?? '');
  const tasks = facts.map(({ subject_id }) => subject_id ?? '');
  const sizes = new Map<string, number>();
  for (const { id, size } of await textSizes(store, tasks, named)) sizes.set(id, (sizes.get(id) ?? 0) + size);
  const withWords = (type: string): boolean => type === 'task.begin' || type === 'task.continued';
  return facts.map(({ type, subject_id }, i) => (withWords(type) ? (sizes.get(subject_id ?? '') ?? 0) : (sizes.get(named[i]!) ?? 0)));
}

/** Undefined: it has been overtaken, and something later says how it stands. */
export async function eventOf(store: Reader, agentId: string, fact: PlacedFact): Promise<Delivery['event'] | undefined> {
  if (fact.type === left) return leaveOf(store, agentId, fact);
  if (fact.type === digestType) return digestOf(store, agentId, fact);
  const [task] = await store.rows('tasks', { id: fact.subject_id! });
  const kind = task && kindOf(fact, task);
  if (!task || !kind) return undefined;
  const data = taskData(fact);
  // The agent has lost the task, so it gets none of its words.
  if (fact.type === 'task.lost')
    return task.agent_id === agentId ? undefined : describe(store, { kind, task, fact, data, messageId: null, knocks: false });
  if (kind === 'offer' ? task.agent_id !== null || task.open === 0 : task.agent_id !== agentId) return undefined;
  if (fact.type === 'task.decline' && data.cause !== 'no_progress') return undefined;
  // Resumed by what its requester said: that is among the words of the turn that begins.
  if (kind === 'result' && data.child === undefined) return undefined;
  // A fragment of a request that was still being composed counts as part of the request.
  if (kind === 'follow_up' && data.piece) return undefined;
  if ((isGiven(kind) || isInterruption(kind, data)) && (task.state !== 'active' || task.lease !== data.lease)) return undefined;
  if ((kind === 'follow_up' || kind === 'correction') && !(await isPartOf(store, task, data.message!))) return undefined;
  const messageId = data.message ?? (kind === 'result' ? await lastSaidBy(store, data.child!) : task.message_id);
  return describe(store, { kind, task, fact, data, messageId: kind === 'approval' ? null : messageId, knocks: isKnock(kind, task) });
}

async function lastSaidBy(store: Reader, taskId: string): Promise<string | null> {
  return (await lastSaidIn(store, await store.rows('tasks', { id: taskId }))).get(taskId) ?? null;
}

function kindOf(fact: PlacedFact, task: TaskRow): AgentEvent['kind'] | undefined {
  if (offerTypes.has(fact.type)) return 'offer';
  return fact.type === 'task.begin' && task.addressed_by === 'edit'
    ? 'edit'
    : (kinds as Partial<Record<FactType, AgentEvent['kind']>>)[fact.type];
}

/** Whether the agent now holds the task, with a lease. */
const isGiven = (kind: AgentEvent['kind']): boolean => kind === 'task' || kind === 'edit';

/** Urgent words: the turn it had is over, and this one is given with them. */
const isInterruption = (kind: AgentEvent['kind'], data: TaskData): boolean => kind === 'follow_up' && data.lease !== undefined;

/** An edit may have taken it out since. */
async function isPartOf(store: Reader, task: TaskRow, messageId: string): Promise<boolean> {
  if (messageId === task.message_id) return true;
  return (await store.rows('task_words', { task_id: task.id, message_id: messageId })).length > 0;
}

/** A knock contains no words of the message; the agent pulls or reads the message to get them. */
const isKnock = (kind: AgentEvent['kind'], task: TaskRow): boolean =>
  kind === 'obligation' || (kind === 'task' && task.addressed_by === 'obligation') || (kind === 'offer' && task.mode === 'notify');

/** The event behind a knock with its words, for an agent that may claim the task and has asked for it. */
export function pulledEvent(store: Reader, task: TaskRow, fact: PlacedFact): Promise<AgentEvent> {
  const kind = task.agent_id === null ? 'offer' : 'task';
  return describe(store, { kind, task, fact, data: {}, messageId: task.message_id, knocks: false });
}

/** Something that happened in a task. */
interface TaskEvent {
  kind: AgentEvent['kind'];
  task: TaskRow;
  fact: PlacedFact;
  data: TaskData;
  messageId: string | null;
  knocks: boolean;
}

async function describe(store: Reader, event: TaskEvent): Promise<AgentEvent> {
  const { kind, task, fact, data, messageId, knocks } = event;
  const words = (isGiven(kind) || isInterruption(kind, data) || kind === 'offer') && !knocks ? await saidIn(store, task) : [];
  // An agent may read a task only while it is open: it may have been removed from the conversation while it was away.
  const message = messageId === null || task.open === 0 ? undefined : (await messagesById(store, [messageId])).get(messageId);
  // A signal's author is the one who signalled; the words they did it on are the agent's own.
  const isSignal = kind === 'signal';
  const authorId = isSignal ? fact.actor_id : message?.author_id;
  const [author] = typeof authorId === 'string' ? await store.rows('members', { id: authorId }) : [];
  const [conversation] = await store.rows('conversations', { id: task.conversation_id });
  const [view] = await taskViews(store, [task]);
  // Approvals end with their task.
  const approvals = (isGiven(kind) || kind === 'approval') && task.open === 1 ? await answeredCalls(store, task.id, task.agent_id!) : [];
  const text = isSignal ? null : (message?.body ?? null);
  const addressedToMe = isGiven(kind) || kind === 'obligation' || kind === 'follow_up' || kind === 'correction';
  return {
    ...plainEvent(fact, conversation!),
    kind,
    author: author ? { ...authorView(author), ...(knocks ? { displayName: author.handle } : {}) } : null,
    addressedToMe,
    policy: policyOf(event, addressedToMe),
    mode: modeOf(event),
    reason: reasonOf(event),
    messageId,
    content: knocks ? null : text,
    topic: await topicFor(store, event, conversation!.kind),
    // Handles are the platform's: a knock names whom it is for without a word that somebody wrote.
    recipients: text ? await recipients(store, conversation!.parent_id ?? conversation!.id, text) : [],
    words: words.map((word) => ({
      messageId: word.message.id,
      authorId: word.authorId,
      kind: word.kind,
      content: word.text,
      ...(word.signal ? { signal: word.signal } : {}),
    })),
    createdAt: isSignal ? fact.at : (message?.created_at ?? fact.at),
    chain: { id: task.chain_id, depth: task.depth, path: JSON.parse(task.path) as string[], endsAt: view!.timer?.endsAt ?? null },
    task: view!,
    lease: task.open === 1 && kind !== 'offer' && kind !== 'ended' ? task.lease : null,
    cause: data.cause ?? data.reason ?? data.state ?? null,
    ...(approvals.length === 0 ? {} : { approvals }),
    ...(words.length > 0 && kind !== 'offer' && task.open === 1 ? await workSoFar(store, task) : {}),
    ...(data.obligation === undefined ? {} : { obligationId: data.obligation }),
    ...(data.signal && data.meaning ? { signal: { signal: data.signal, meaning: data.meaning } } : {}),
  };
}

/** An agent that resumes a task gets its own past steps and what is pending (IAC-6). */
async function workSoFar(store: Reader, task: TaskRow): Promise<Pick<AgentEvent, 'calls' | 'pending'>> {
  const children = await store.rows('tasks', { parent_id: task.id, open: 1 }, { order: 'seq' });
  const requests = await requestsOf(store, children);
  const approvals = await pendingApprovals(store, task, task.agent_id!);
  const { calls } = shownCalls(await earlierCalls(store, task, task.agent_id!));
  const subtasks = children.map(({ id, agent_id, state }) => ({ taskId: id, agentId: agent_id, state, request: requests[id] ?? null }));
  return {
    ...(calls.length === 0 ? {} : { calls }),
    ...(subtasks.length + approvals.length === 0 ? {} : { pending: { subtasks, approvals } }),
  };
}

/** In the platform's words. */
async function topicFor(store: Reader, { kind, task, fact, knocks }: TaskEvent, place: ConversationRow['kind']): Promise<string | null> {
  if (kind === 'flagged') return (await flagText(store, fact)) ?? null;
  if (!knocks) return null;
  return kind === 'offer' ? topicOf((await roleOfTask(store, task.id))?.handle ?? '', place) : obligationTopic(place);
}

function policyOf({ kind, task, data }: TaskEvent, addressedToMe: boolean): AgentEvent['policy'] {
  if (goesOn(data)) return 'may_respond';
  // The recorded policy says that one of the agents it is offered to must answer.
  return addressedToMe || kind === 'result' || kind === 'offer' ? taskPolicy(task.addressed_by) : 'must_not_respond';
}

function modeOf({ kind, task, data, knocks }: TaskEvent): AgentEvent['mode'] {
  if (kind === 'ended' || kind === 'approval') return 'immediate';
  if (kind === 'signal' && !goesOn(data)) return 'tool_mailbox';
  if (kind === 'follow_up') return data.urgent ? 'immediate' : 'buffered';
  // An agent that has taken a knock gets it like any other work.
  return knocks ? 'notify' : task.mode === 'notify' ? 'buffered' : task.mode;
}

function reasonOf({ kind, task }: TaskEvent): AgentEvent['reason'] {
  if (kind === 'correction') return 'edit';
  return kind === 'follow_up' || kind === 'obligation' || kind === 'signal' ? kind : task.addressed_by;
}

const goesOn = ({ meaning }: TaskData): boolean => meaning === 'proceed' || meaning === 'revise';

/** Undefined: it was called back meanwhile. */
async function leaveOf(store: Reader, agentId: string, fact: PlacedFact): Promise<LeaveEvent | undefined> {
  const { conversation: id } = factData(fact, left)!;
  const [row] = await store.rows('leaves', { conversation_id: id, member_id: agentId });
  if (row?.at !== fact.at) return undefined;
  const [conversation] = await store.rows('conversations', { id });
  const [author] = row.asked_by === null ? [] : await store.rows('members', { id: row.asked_by });
  const open = await openTasksOf(store, agentId, id);
  return {
    ...plainEvent(fact, conversation!),
    kind: 'leave',
    author: author ? authorView(author) : null,
    addressedToMe: true,
    policy: row.goodbye_id === null ? 'may_respond' : 'must_not_respond',
    mode: 'immediate',
    reason: 'asked_to_leave',
    messageId: row.message_id,
    goodbyeUntil: row.at + goodbyeMs,
    finishing: open.map(({ id: taskId, conversation_id: conversationId }) => ({ taskId, conversationId })),
  };
}

/** Handles of those here, and of roles they hold, whom the text addresses: read as it was when it was heard. */
async function recipients(store: Reader, homeId: string, body: string): Promise<string[]> {
  if (!/[\^@]/.test(body)) return [];
  const { addresses } = await readRows(store, conversationWants(homeId), (set) => namedIn(body, set.get('conversations', homeId)!, set));
  return addresses.filter(({ kind }) => kind !== 'unknown').map(({ handle }) => handle);
}

// Going on with an agent that is at work already: the rows for what core decides, and what a reply adds to it.

import { continuationsFor, type Continuation, isOpen, type Listener, type TaskFacts, unclaimedHere, windowLimits } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import type { IncomingMessage } from '../conversations/incoming-message.ts';
import { compositionOf, windowOf, windowWants } from '../messages/composing-windows.ts';
import { isUnaddressed } from './chains.ts';
import { hasActedIn } from './turn-knowledge.ts';

interface Going extends TaskFacts {
  row: TaskRow;
}

export interface OpenWork {
  /** The author's open tasks here, by agent. */
  here: Map<string, Continuation<Going>>;
  /** The author's requests to any agent that are still being written. */
  unclaimed: TaskRow[];
  /** The author's tasks whose request goes on with this message if it speaks to nobody else. */
  growing: ReadonlySet<string>;
  /** The agent whose message is replied to, and the task it belongs to if the author may go on with it. */
  repliedTo: string | undefined;
  replied: TaskRow | undefined;
  /** The author asked for what the message that is replied to was said in, ended or not. */
  byRequester: boolean;
}

const none: ReadonlySet<string> = new Set();

export function continuationsOf(incoming: IncomingMessage, set: WorkingSet, now: number): OpenWork {
  const { id, kind, root_message_id } = incoming.conversation;
  const rows = openTasksOfAuthor(incoming, set).filter((row) => row.message_id !== incoming.editedId);
  // This is the case for nearly every message, so it costs no read.
  if (rows.length === 0 && incoming.editedId === undefined)
    return { here: new Map(), unclaimed: [], growing: none, ...reply(incoming, set) };
  set.need(windowWants(rows));
  // An edit mends an earlier message, and adds no fragment.
  const grows = incoming.speaking === undefined && incoming.editedId === undefined && !answersAnother(incoming);
  const tasks = rows.map((row) => asGoing(row, set, grows));
  // An agent's talk with others is never one task: it goes on only where it is asked.
  const place = { id, kind: incoming.speaking ? 'channel' : kind, rootMessageId: root_message_id } as const;
  const here = continuationsFor(tasks, place, now, incoming.urgent);
  // Edited, it goes on with what it went on with when it was said, whatever was asked or answered since.
  const part = incoming.editedId === undefined ? [] : partOf(incoming.editedId, set);
  set.need(windowWants(part));
  for (const row of part) {
    const task = asGoing(row, set, false);
    here.set(row.agent_id!, { called: task, uncalled: { task, continuing: 'requester' } });
  }
  return {
    here,
    unclaimed: unclaimedHere(tasks, place, now).map(({ row }) => row),
    growing: growingIn(tasks, id, now),
    ...reply(incoming, set),
  };
}

const growingIn = (tasks: readonly Going[], conversationId: string, now: number): Set<string> =>
  new Set(tasks.flatMap(({ row, growing }) => (growing?.conversationId === conversationId && now < growing.until ? row.id : [])));

const asGoing = (row: TaskRow, set: WorkingSet, grows: boolean): Going => ({
  row,
  agentId: row.agent_id,
  state: row.state,
  askedIn: row.asked_in,
  conversationId: row.conversation_id,
  unaddressed: isUnaddressed(row, set),
  messageId: row.message_id,
  updatedAt: row.updated_at,
  seq: row.seq,
  composingUntil: windowOf(row, set)?.readyAt ?? null,
  growing: grows ? growthOf(row, set) : null,
});

function growthOf(row: TaskRow, set: WorkingSet): TaskFacts['growing'] {
  const composition = compositionOf(row, set);
  if (!composition || (row.state === 'active' && hasActedIn(row, set))) return null;
  return { conversationId: composition.conversation_id, until: composition.since + windowLimits.longestMs };
}

/** Open tasks that a message was added to. */
export function partOf(messageId: string, set: WorkingSet): TaskRow[] {
  return set
    .find('task_words', 'message', messageId)
    .filter((word) => word.kind === 'follow_up')
    .flatMap((word) => set.get('tasks', word.task_id) ?? [])
    .filter((task) => task.agent_id !== null && isOpen(task.state));
}

/** The author's open tasks that could be meant here. */
function openTasksOfAuthor({ conversation, author, speaking }: IncomingMessage, set: WorkingSet): TaskRow[] {
  // An agent goes on only with its own delegations in this task.
  if (speaking) return speaking.final ? [] : set.find('tasks', 'parent', speaking.task.id, 1);
  const found = new Map(set.find('tasks', 'here', conversation.id, author.id, 1).map((task) => [task.id, task]));
  // The thread on a request is where its task is talked about.
  if (conversation.root_message_id !== null)
    for (const task of set.find('tasks', 'message', conversation.root_message_id))
      if (task.requester_id === author.id) found.set(task.id, task);
  // And in the pair's DM an agent may have asked about a task of anywhere.
  if (conversation.kind === 'dm')
    for (const task of set.find('tasks', 'requester', author.id, 1)) if (task.asked_in === conversation.id) found.set(task.id, task);
  // So it is with an answer that goes on: its question was put anywhere.
  for (const { task_id, requester_id } of set.find('compositions', 'conversation', conversation.id)) {
    const task = requester_id === author.id && !found.has(task_id) ? set.get('tasks', task_id) : undefined;
    if (task && isOpen(task.state)) found.set(task.id, task);
  }
  return [...found.values()];
}

/** A reply to what another person wrote, or the platform: no piece of what its author asked an agent. */
const answersAnother = ({ replyTo, author }: IncomingMessage): boolean => replyTo !== undefined && replyTo.author_id !== author.id;

const noReply = { repliedTo: undefined, replied: undefined, byRequester: false } as const;

/** The requester of a task, or of its chain, goes on with it by replying; anyone else begins another. */
function reply({ replyTo, author, speaking }: IncomingMessage, set: WorkingSet): Pick<OpenWork, 'repliedTo' | 'replied' | 'byRequester'> {
  if (!replyTo || replyTo.author_id === null || replyTo.author_id === author.id) return noReply;
  if (set.get('members', replyTo.author_id)?.kind !== 'agent') return noReply;
  const tasks = set
    .find('task_words', 'message', replyTo.id)
    .flatMap((word) => set.get('tasks', word.task_id) ?? [])
    .filter((one) => one.agent_id === replyTo.author_id);
  const task = tasks.find((one) => isOpen(one.state));
  const repliedTo = replyTo.author_id;
  if (speaking) return task?.parent_id === speaking.task.id && !speaking.final ? { repliedTo, replied: task, byRequester: true } : noReply;
  const own = task && [task.requester_id, set.get('chains', task.chain_id)!.requester_id].includes(author.id);
  return { repliedTo, replied: own ? task : undefined, byRequester: own === true || tasks.some((one) => one.requester_id === author.id) };
}

/** The task that the agent goes on with when its name is called, and when it is not; and why it would. */
export function standingOf(
  agentId: string,
  incoming: IncomingMessage,
  going: OpenWork,
): Pick<Listener, 'continuing'> & { called: TaskRow | undefined; uncalled: TaskRow | undefined } {
  const { speaking } = incoming;
  const ownTask = going.here.get(agentId);
  const called = going.replied?.agent_id === agentId ? going.replied : ownTask?.called?.row;
  // A reply to one agent is for that one, however many others wait.
  if (going.repliedTo !== undefined) {
    const isQuestion = called?.state === 'waiting' && !speaking;
    return {
      continuing: going.repliedTo !== agentId ? undefined : isQuestion ? 'asked' : going.byRequester ? 'reply' : 'other_reply',
      called,
      uncalled: called,
    };
  }
  if (speaking) return { continuing: undefined, called, uncalled: undefined };
  if (ownTask?.uncalled?.continuing === 'fragment' && answersAnother(incoming))
    return { continuing: undefined, called, uncalled: undefined };
  return { continuing: ownTask?.uncalled?.continuing, called, uncalled: ownTask?.uncalled?.task.row };
}

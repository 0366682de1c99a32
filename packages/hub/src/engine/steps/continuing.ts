// Going on with an agent that is at work already: which open task somebody's words belong to.

import { isOpen, type Listener } from '@parley/core';
import type { TaskRow } from '../../store/tables.ts';
import type { WorkingSet } from '../working-set.ts';
import type { Heard } from './heed.ts';

export interface GoingOn {
  /** Of the author's, with an agent, and going on here. */
  open: TaskRow[];
  /** The agent whose message is replied to, and the task it belongs to if the author may go on with it. */
  repliedTo: string | undefined;
  replied: TaskRow | undefined;
  /** Whose question here is the latest: what comes without a name answers that one. */
  lastAsked: TaskRow | undefined;
}

export function goingOn(heard: Heard, set: WorkingSet): GoingOn {
  const open = openHere(heard, set).filter((task) => task.agent_id !== null);
  const waiting = open.filter((task) => task.state === 'waiting').toSorted((a, b) => b.updated_at - a.updated_at || b.seq - a.seq);
  return { open, lastAsked: waiting[0], ...reply(heard, set) };
}

function openHere({ conversation, author, speaking }: Heard, set: WorkingSet): TaskRow[] {
  // An agent goes on only with what it gave on itself in this task, and only where it is waited for.
  if (speaking) return speaking.final ? [] : set.find('tasks', 'parent', speaking.task.id, 1).filter((task) => task.state === 'waiting');
  const found = new Map(set.find('tasks', 'here', conversation.id, author.id, 1).map((task) => [task.id, task]));
  // The thread on a request is where its task is talked about.
  if (conversation.root_message_id !== null)
    for (const task of set.find('tasks', 'message', conversation.root_message_id))
      if (isOpen(task.state) && task.requester_id === author.id) found.set(task.id, task);
  // And in the pair's DM an agent may have asked about a task of anywhere.
  if (conversation.kind === 'dm')
    for (const task of set.find('tasks', 'requester', author.id, 1)) if (task.asked_in === conversation.id) found.set(task.id, task);
  return [...found.values()].filter((task) => task.state !== 'waiting' || task.asked_in === null || task.asked_in === conversation.id);
}

/** Whoever asked for a task, or began its chain, goes on with it by replying; anyone else begins another. */
function reply({ replyTo, author, speaking }: Heard, set: WorkingSet): Pick<GoingOn, 'repliedTo' | 'replied'> {
  const none = { repliedTo: undefined, replied: undefined };
  if (!replyTo || replyTo.author_id === null || replyTo.author_id === author.id) return none;
  if (set.get('members', replyTo.author_id)?.kind !== 'agent') return none;
  const task = set
    .find('task_words', 'message', replyTo.id)
    .flatMap((word) => set.get('tasks', word.task_id) ?? [])
    .find((one) => one.agent_id === replyTo.author_id && isOpen(one.state));
  if (speaking) return task?.parent_id === speaking.task.id && !speaking.final ? { repliedTo: replyTo.author_id, replied: task } : none;
  const theirs = task && [task.requester_id, set.get('chains', task.chain_id)!.requester_id].includes(author.id);
  return { repliedTo: replyTo.author_id, replied: theirs ? task : undefined };
}

/** In a thread or DM the talk with an agent is one task; in a channel only what it asked about, or is replied to. */
export function taskWith(agentId: string, { conversation, speaking }: Heard, going: GoingOn): TaskRow | undefined {
  if (going.replied?.agent_id === agentId) return going.replied;
  const mine = going.open.filter((task) => task.agent_id === agentId).toSorted((a, b) => b.seq - a.seq);
  const waiting = mine.find((task) => task.state === 'waiting');
  return waiting ?? (conversation.kind === 'channel' || speaking ? undefined : mine[0]);
}

export function continuing(agentId: string, task: TaskRow | undefined, { speaking }: Heard, going: GoingOn): Listener['continuing'] {
  const asked = task?.state === 'waiting';
  // Replying to one agent is speaking to that one, whoever else waits.
  if (going.repliedTo !== undefined) return going.repliedTo !== agentId ? undefined : asked && !speaking ? 'asked' : 'reply';
  if (!task || speaking) return undefined;
  if (!asked) return 'requester';
  return task.id === going.lastAsked?.id ? 'asked' : undefined;
}

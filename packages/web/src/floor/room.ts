// Who can be addressed in a conversation, and how each agent stands to what we say there, from what the page knows.

import { isOpen } from '@parley/core';
import type { Listener, Room } from '@parley/core';
import type { Conversation, Member, Membership, Task } from '@parley/protocol';

export interface Here extends Room {
  members: readonly Member[];
}

/** For a thread pass the conversation it hangs in. Undefined: who is in it is not known yet. */
export function roomOf(
  home: Conversation,
  memberships: readonly Membership[] | undefined,
  members: Readonly<Record<string, Member>>,
): Here | undefined {
  const ids = home.kind === 'dm' ? home.memberIds : memberships?.map((item) => item.memberId);
  if (!ids) return undefined;
  const present = ids.flatMap((id) => members[id] ?? []).filter((member) => member.status === 'active');
  return { kind: home.kind, floor: home.floor, members: present };
}

interface Place {
  id: string | null;
  kind: Conversation['kind'];
  /** A thread hangs on it. */
  rootMessageId: string | null;
}

/**
 * Which open task of ours the next message here goes on with, by agent. In a thread or DM the talk with an agent is
 * one task; in a channel only what it asked us goes on by itself.
 */
export function goingOn(
  conversation: Place,
  tasks: Readonly<Record<string, Task>>,
  myId: string,
): Map<string, { task: Task; continuing: NonNullable<Listener['continuing']> }> {
  const found = new Map<string, { task: Task; continuing: NonNullable<Listener['continuing']> }>();
  const mine = Object.values(tasks)
    .filter((task) => task.agentId !== null && task.requesterId === myId && isOpen(task.state) && isHere(task, conversation))
    .sort((a, b) => a.updatedAt - b.updatedAt);
  for (const task of mine)
    if (conversation.kind !== 'channel' && task.state !== 'waiting') found.set(task.agentId!, { task, continuing: 'requester' });
  // What comes without a name answers the latest question.
  const asked = mine.findLast((task) => task.state === 'waiting');
  if (asked) found.set(asked.agentId!, { task: asked, continuing: 'asked' });
  return found;
}

/** Where it was asked for, in the thread on that, or where its question was put. */
function isHere(task: Task, { id, rootMessageId }: Place): boolean {
  if (task.state === 'waiting' && task.askedIn !== null) return task.askedIn === id;
  return task.conversationId === id || (rootMessageId !== null && task.messageId === rootMessageId);
}

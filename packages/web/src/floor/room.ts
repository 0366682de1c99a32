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

/**
 * Which open task of ours the next message here goes on with, by agent. In a thread or DM the talk with an agent is
 * one task; in a channel only what it asked us goes on by itself.
 */
export function goingOn(
  conversation: { id: string | null; kind: Conversation['kind'] },
  tasks: Readonly<Record<string, Task>>,
  myId: string,
): Map<string, { task: Task; continuing: NonNullable<Listener['continuing']> }> {
  const found = new Map<string, { task: Task; continuing: NonNullable<Listener['continuing']> }>();
  const mine = Object.values(tasks)
    .filter((task) => task.conversationId === conversation.id && task.requesterId === myId && isOpen(task.state))
    .sort((a, b) => a.createdAt - b.createdAt);
  for (const task of mine) {
    if (task.agentId === null) continue;
    if (task.state === 'waiting') found.set(task.agentId, { task, continuing: 'asked' });
    else if (conversation.kind !== 'channel' && found.get(task.agentId)?.continuing !== 'asked')
      found.set(task.agentId, { task, continuing: 'requester' });
  }
  return found;
}

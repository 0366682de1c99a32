// Who can be addressed in a conversation, and how each agent stands to what we say there, from what the page knows.

import { continuationsFor, participantIds, unclaimedHere } from '@parley/core';
import type { Continuation, ConversationPlace, PreviewRoom } from '@parley/core';
import type { CalledRole, Conversation, Member, Membership, Task } from '@parley/protocol';

/** `roles`: the handles of those it holds. */
export type RoomAgent = Member & { roles?: readonly string[] };

export interface Here extends PreviewRoom {
  /** Of the conversation, or of the one the thread hangs in. */
  id: string;
  members: readonly RoomAgent[];
}

/** For a thread pass the conversation it hangs in. Undefined: who is in it is not known yet. */
export function roomOf(
  home: Conversation,
  memberships: readonly Membership[] | undefined,
  members: Readonly<Record<string, Member>>,
  roles: Readonly<Record<string, CalledRole>> = {},
): Here | undefined {
  const ids = home.kind === 'dm' ? home.memberIds : memberships?.map((item) => item.memberId);
  if (!ids) return undefined;
  const held = (id: string): string[] => Object.values(roles).flatMap(({ handle, holderIds }) => (holderIds.includes(id) ? handle : []));
  const present = ids
    .flatMap((id) => members[id] ?? [])
    .filter((member) => member.status === 'active')
    .map((member): RoomAgent => {
      const mine = held(member.id);
      return mine.length === 0 ? member : { ...member, roles: mine };
    });
  return { id: home.id, kind: home.kind, floor: home.floor, members: present };
}

/** Where something would be said. `root`: in a thread, the message it hangs on. */
export const placeOf = ({
  room,
  conversationId,
  root,
}: {
  room: Here;
  conversationId: string | null;
  root: string | null;
}): ConversationPlace => ({
  id: conversationId,
  kind: root === null ? room.kind : 'thread',
  rootMessageId: root,
});

/** By agent, which task of ours the next message here goes on with. */
export function openTasksHere(
  place: ConversationPlace,
  tasks: Readonly<Record<string, Task>>,
  myId: string,
): Map<string, Continuation<Task>> {
  return continuationsFor(ours(tasks, myId), place, asKept);
}

/** Ids of the agents here that take part in a thread. */
export function takingPart(
  place: ConversationPlace,
  tasks: Readonly<Record<string, Task>>,
  rootAuthorId: string | null,
  { members }: Here,
): ReadonlySet<string> {
  const ids = participantIds(Object.values(tasks), rootAuthorId, place);
  return new Set(members.filter(({ id, kind }) => kind === 'agent' && ids.has(id)).map(({ id }) => id));
}

/** Whether we are still asking something here of whichever agent takes it. */
export const askingAny = (place: ConversationPlace, tasks: Readonly<Record<string, Task>>, myId: string): boolean =>
  unclaimedHere(ours(tasks, myId), place, asKept).length > 0;

/** The state holds `growing` only while it lasts: see `dropOldGrowing`. */
const asKept = 0;

const ours = (tasks: Readonly<Record<string, Task>>, myId: string): Task[] =>
  Object.values(tasks).filter((task) => task.requesterId === myId);

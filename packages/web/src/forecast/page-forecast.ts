// The forecast from what the page knows: who is in the room, how each agent there stands to us, and what we are writing.

import { standsInThread } from '@parley/core';
import type { Task } from '@parley/protocol';
import type { State } from '../state/model.ts';
import { forecast } from './forecast-words.ts';
import type { Forecast } from './forecast-words.ts';
import { askingAny, openTasksHere, placeOf, takingPart } from './room.ts';
import type { Here } from './room.ts';

export type RoomKnowledge = Pick<State, 'myId' | 'members' | 'roles' | 'agents' | 'tasks' | 'leaves' | 'halt'>;

export interface DraftMessage {
  room: Here;
  /** Null: a thread that nobody has replied in yet. */
  conversationId: string | null;
  /** In a thread: the message it hangs on, and who wrote that. */
  root: string | null;
  rootAuthorId: string | null;
  text: string;
  attachments: number;
  /** Its writer marks it so. */
  urgent?: boolean | undefined;
  /** Agents that the hub says take no requests from us. */
  refusing?: readonly string[] | undefined;
  /** It was said before and is edited: what it asked for then does not make it a part of that; what it was added to does. */
  edited?: { id: string; partOf: Task | undefined } | undefined;
}

const notOf = (messageId: string, tasks: State['tasks']): State['tasks'] =>
  Object.fromEntries(Object.entries(tasks).filter(([, task]) => task.messageId !== messageId));

export function pageForecast(known: RoomKnowledge, writing: DraftMessage): Forecast {
  const { room, conversationId, rootAuthorId, text, attachments, urgent, refusing, edited } = writing;
  const { myId, members, roles, agents, leaves, halt } = known;
  const place = placeOf(writing);
  const tasks = edited ? notOf(edited.id, known.tasks) : known.tasks;
  const ids = new Map(room.members.map((member) => [member.handle, member.id]));
  const idOf = (handle: string): string => ids.get(handle) ?? '';
  const hasLeft = (id: string): boolean =>
    leaves.some((leave) => leave.memberId === id && [conversationId, room.id].includes(leave.conversationId));
  const going = openTasksHere(place, tasks, myId);
  const part = edited?.partOf;
  if (part?.agentId) going.set(part.agentId, { called: part, uncalled: { task: part, continuing: 'requester' } });
  const partaking = new Set([...takingPart(place, known.tasks, rootAuthorId, room)].filter((id) => !hasLeft(id)));
  const handles = new Set(Object.values(members).map((member) => member.handle.toLowerCase()));
  const roleHandles = new Set(Object.values(roles).map((role) => role.handle.toLowerCase()));
  // The text is trimmed before it goes out, and four blanks before it would have made it code.
  const cut = text.length - text.trimStart().length;
  const seen = forecast({
    room,
    me: members[myId]!.handle,
    text: text.trim(),
    attachments,
    urgent: urgent === true,
    continuing: (handle) => going.get(idOf(handle))?.uncalled?.continuing,
    inThread: (handle) => standsInThread(idOf(handle), partaking),
    askingAny: askingAny(place, tasks, myId),
    status: (handle) => agents[idOf(handle)]?.status,
    left: (handle) => hasLeft(idOf(handle)),
    refuses: (handle) => refusing?.includes(idOf(handle)) === true,
    isMember: (handle) => handles.has(handle.toLowerCase()),
    isRole: (handle) => roleHandles.has(handle.toLowerCase()),
    halted: halt.halted,
  });
  return { ...seen, doubts: seen.doubts.map((doubt) => ({ ...doubt, start: doubt.start + cut, end: doubt.end + cut })) };
}

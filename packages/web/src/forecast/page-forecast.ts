// The forecast of a draft from what the page knows: who is in the room, how each agent there stands to us, and the draft.

import { standsInThread } from '@parley/core';
import type { Continuation } from '@parley/core';
import type { Task } from '@parley/protocol';
import type { State } from '../state/model.ts';
import { forecast } from './forecast-words.ts';
import type { Forecast } from './forecast-words.ts';
import { askingAny, openTasksHere, placeOf, takingPart } from './room.ts';
import type { Here } from './room.ts';

export type RoomKnowledge = Pick<State, 'myId' | 'members' | 'roles' | 'agents' | 'tasks' | 'leaves' | 'halt'>;

export interface DraftMessage {
  room: Here;
  /** Null: a thread without a reply yet. */
  conversationId: string | null;
  /** In a thread: the message that began it, and its author. */
  root: string | null;
  rootAuthorId: string | null;
  text: string;
  attachments: number;
  /** The writer marks the message as urgent. */
  urgent?: boolean | undefined;
  /** Agents that take no requests from us, as the hub says. */
  refusing?: readonly string[] | undefined;
  /** The draft edits this message. An edit adds to the task `partOf`, and never to a task that the message itself began. */
  edited?: { id: string; partOf: Task | undefined } | undefined;
}

export function pageForecast(known: RoomKnowledge, draft: DraftMessage): Forecast {
  const { room, rootAuthorId, text, attachments, urgent, refusing, edited } = draft;
  const { myId, members, roles, agents, halt } = known;
  const place = placeOf(draft);
  const tasks = edited ? withoutTasksOf(edited.id, known.tasks) : known.tasks;
  const continued = continuedTasks(draft, tasks, myId);
  const leavers = askedToLeave(draft, known.leaves);
  const participants = new Set([...takingPart(place, known.tasks, rootAuthorId, room)].filter((id) => !leavers.has(id)));
  const ids = new Map(room.members.map(({ handle, id }) => [handle, id]));
  const idOf = (handle: string): string => ids.get(handle) ?? '';
  const memberHandles = lowerCaseHandles(members);
  const roleHandles = lowerCaseHandles(roles);
  const result = forecast({
    room,
    me: members[myId]!.handle,
    text: text.trim(),
    attachments,
    urgent: urgent === true,
    continuing: (handle) => continued.get(idOf(handle))?.uncalled?.continuing,
    inThread: (handle) => standsInThread(idOf(handle), participants),
    askingAny: askingAny(place, tasks, myId),
    status: (handle) => agents[idOf(handle)]?.status,
    left: (handle) => leavers.has(idOf(handle)),
    refuses: (handle) => refusing?.includes(idOf(handle)) === true,
    isMember: (handle) => memberHandles.has(handle.toLowerCase()),
    isRole: (handle) => roleHandles.has(handle.toLowerCase()),
    halted: halt.halted,
  });
  // The forecast reads the text as it will be sent, trimmed: four blanks before it would make it code.
  const trimmed = text.length - text.trimStart().length;
  return { ...result, doubts: result.doubts.map((doubt) => ({ ...doubt, start: doubt.start + trimmed, end: doubt.end + trimmed })) };
}

const withoutTasksOf = (messageId: string, tasks: State['tasks']): State['tasks'] =>
  Object.fromEntries(Object.entries(tasks).filter(([, task]) => task.messageId !== messageId));

/** By agent: the open task that the draft goes on with. */
function continuedTasks(draft: DraftMessage, tasks: State['tasks'], myId: string): Map<string, Continuation<Task>> {
  const continued = openTasksHere(placeOf(draft), tasks, myId);
  const task = draft.edited?.partOf;
  if (task?.agentId) continued.set(task.agentId, { called: task, uncalled: { task, continuing: 'requester' } });
  return continued;
}

/** Agents that were asked to leave the conversation, or the one that its thread hangs in. */
const askedToLeave = ({ conversationId, room }: DraftMessage, leaves: State['leaves']): ReadonlySet<string> =>
  new Set(leaves.flatMap((leave) => ([conversationId, room.id].includes(leave.conversationId) ? leave.memberId : [])));

const lowerCaseHandles = (named: Readonly<Record<string, { handle: string }>>): ReadonlySet<string> =>
  new Set(Object.values(named).map(({ handle }) => handle.toLowerCase()));

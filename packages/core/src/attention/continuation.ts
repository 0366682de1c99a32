// The open task to which a requester's next message belongs, if an agent is at work already. The hub decides by it, and the composer shows
// a preview of it (SYS-3).

import { type AddressKind, addressesIn, directory } from '../address/address.ts';
import { isOpen, type TaskState } from '../task/task.ts';
import type { Listener } from './attend.ts';

/** One of the author's own tasks, open or ended. */
export interface TaskFacts {
  agentId: string | null;
  state: TaskState;
  /** The conversation of its question, while it waits for the answer. */
  askedIn: string | null;
  conversationId: string;
  /** The task began with a question that named nobody: see `beganUnaddressed`. */
  unaddressed?: boolean | undefined;
  /** The message that asked for the task. */
  messageId: string;
  updatedAt: number;
  seq: number;
  /** The end of the composing window. The turn begins then, unless another message comes. */
  composingUntil: number | null;
  /** Messages of the requester in this conversation still belong to the request, because nobody has acted on it or posted since (C2A-28). */
  growing: { conversationId: string; until: number } | null;
}

export interface ConversationPlace {
  /** Null: it does not exist yet. */
  id: string | null;
  kind: 'channel' | 'dm' | 'thread';
  /** For a thread: the message on which it hangs. */
  rootMessageId: string | null;
}

export interface Continuation<T> {
  /** The task that a message with the agent's name continues. */
  called: T | undefined;
  /**
   * The task that a message without a name continues. `asked`: the message is the answer that the task waits for. `fragment`: the message
   * is a part of a request that is still being written. `asker`: only a question continues the task, because it began with one to nobody.
   */
  uncalled: { task: T; continuing: 'asked' | 'requester' | 'asker' | 'fragment' } | undefined;
}

/** By agent, for each with an open task here. An urgent message to an agent at work here is about that work (C2A-9). */
export function continuationsFor<T extends TaskFacts>(
  tasks: Iterable<T>,
  place: ConversationPlace,
  now: number,
  urgent = false,
): Map<string, Continuation<T>> {
  const all = [...tasks].filter((task) => isOpen(task.state) && isHere(task, place, now));
  const isWriting = (task: T): boolean => isComposing(task) || isGrowing(task, place, now);
  const here = all.filter((task) => task.agentId !== null);
  const waiting = here.filter(({ state }) => state === 'waiting').toSorted((a, b) => b.updatedAt - a.updatedAt || b.seq - a.seq);
  // In a thread or DM the exchange with an agent is one task. In a channel only a question of the agent, or a request that is still being
  // written, continues.
  const talked = here.filter((task) => task.state !== 'waiting' && (place.kind !== 'channel' || isWriting(task)));
  const talks = talked.toSorted(
    // A request by name comes before a question to nobody.
    (a, b) =>
      Number(isWriting(b)) - Number(isWriting(a)) || Number(a.unaddressed ?? false) - Number(b.unaddressed ?? false) || b.seq - a.seq,
  );
  const running = urgent ? here.filter(({ state }) => state === 'active').toSorted((a, b) => b.seq - a.seq) : [];
  // A message without a name answers the latest question, unless its author has been writing to somebody else since.
  const last = waiting.slice(0, 1).find((question) => !all.some((task) => isWriting(task) && task.updatedAt > question.updatedAt));
  const found = new Map<string, Continuation<T>>();
  for (const { agentId } of [...waiting, ...talks, ...running]) {
    if (found.has(agentId!)) continue;
    const talk = talks.find((task) => task.agentId === agentId);
    const uncalled = last?.agentId === agentId ? ({ task: last, continuing: 'asked' } as const) : undefined;
    found.set(agentId!, {
      // An agent that is called by name in a channel once its turn has begun gets a new request, unless the message is
      // urgent.
      called:
        waiting.find((task) => task.agentId === agentId) ??
        (talk && (place.kind !== 'channel' || isComposing(talk)) ? talk : running.find((task) => task.agentId === agentId)),
      uncalled: uncalled ?? (talk && { task: talk, continuing: isWriting(talk) ? 'fragment' : talk.unaddressed ? 'asker' : 'requester' }),
    });
  }
  return found;
}

/** A request to any agent that is still being written: the next message without a name belongs to it. */
export const unclaimedHere = <T extends TaskFacts>(tasks: Iterable<T>, place: ConversationPlace, now: number): T[] =>
  [...tasks].filter(
    (task) => task.agentId === null && isOpen(task.state) && isHere(task, place, now) && (isComposing(task) || isGrowing(task, place, now)),
  );

/**
 * Whether the task began with a question that named nobody: a reply to another person's agent, or a message in a thread of a channel to
 * its only agent or to any that claims it (line 9), also if it was edited after its answer. `^ANY` names all agents.
 */
export function beganUnaddressed(addressedBy: string, inThread: boolean, text: string): boolean {
  if (addressedBy === 'question') return true;
  return inThread && ((addressedBy === 'any_agent' && !calls(text, 'any_agent')) || (addressedBy === 'edit' && !calls(text)));
}

/** Whether the text calls anybody of this kind; without a kind, anybody at all. */
const calls = (text: string, kind?: AddressKind): boolean =>
  addressesIn(text, nobody).some((address) => kind === undefined || address.kind === kind);
const nobody = directory([]);

const isComposing = (task: TaskFacts): boolean => task.composingUntil !== null;

const isGrowing = ({ growing, state }: TaskFacts, { id }: ConversationPlace, now: number): boolean =>
  growing !== null && growing.conversationId === id && now < growing.until && growable.has(state);
/** A task that has asked a question or waits for others has ended its turn, so its request no longer grows. */
const growable: ReadonlySet<TaskState> = new Set(['queued', 'offered', 'active']);

/** Whether the task belongs here: it was requested here, or in the message of this thread, or its question waits for an answer here. */
function isHere(task: TaskFacts, place: ConversationPlace, now: number): boolean {
  const { id, rootMessageId } = place;
  if (isGrowing(task, place, now)) return true;
  if ((task.state === 'waiting' || isComposing(task)) && task.askedIn !== null) return task.askedIn === id;
  return task.conversationId === id || (rootMessageId !== null && task.messageId === rootMessageId);
}

/** The IDs of a thread's participants, agents and people: the agents of its tasks and of its root message, and that message's author. */
export function participantIds(
  tasks: Iterable<Pick<TaskFacts, 'agentId' | 'conversationId' | 'messageId'>>,
  rootAuthorId: string | null,
  { id, kind, rootMessageId }: ConversationPlace,
): Set<string> {
  const found = new Set<string>();
  if (kind !== 'thread') return found;
  if (rootAuthorId !== null) found.add(rootAuthorId);
  for (const task of tasks)
    if (task.agentId !== null && (task.conversationId === id || task.messageId === rootMessageId)) found.add(task.agentId);
  return found;
}

/** Whether the agent is a participant that is still here, and whether it is the only one. */
export const standsInThread = (agentId: string, agents: ReadonlySet<string>): Listener['inThread'] =>
  agents.has(agentId) ? (agents.size === 1 ? 'alone' : 'among') : undefined;

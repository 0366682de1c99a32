// Going on with an agent that is at work already: which open task of its requester's the next words here belong to. The
// hub decides by it and the composer foretells by it (SYS-3).

import { type AddressKind, addressesIn, directory } from '../address/address.ts';
import { isOpen, type TaskState } from '../task/task.ts';
import type { Listener } from './attend.ts';

/** One of the author's own tasks, ended ones included. */
export interface TaskFacts {
  agentId: string | null;
  state: TaskState;
  /** Where it asked, while it waits for the answer. */
  askedIn: string | null;
  conversationId: string;
  /** The task began with a question in a thread to nobody by name: see `beganUnaddressed`. */
  unaddressed?: boolean | undefined;
  /** The message that asked for the task. */
  messageId: string;
  updatedAt: number;
  seq: number;
  /** The requester may still be writing: the turn begins then, unless more comes. */
  composingUntil: number | null;
  /** Where and until when its requester's words belong to the request, as nobody has acted on it or posted in between (C2A-28). */
  growing: { conversationId: string; until: number } | null;
}

export interface ConversationPlace {
  /** Null: not made yet. */
  id: string | null;
  kind: 'channel' | 'dm' | 'thread';
  /** A thread hangs on it. */
  rootMessageId: string | null;
}

export interface Continuation<T> {
  /** With this one, when the agent is called by name. */
  called: T | undefined;
  /**
   * The task that a message without a name goes on with. `asked`: the message is the answer that the task waits for.
   * `fragment`: a fragment of a request that is still being written. `asker`: only a question goes on with the task, as it
   * began with one to nobody.
   */
  uncalled: { task: T; continuing: 'asked' | 'requester' | 'asker' | 'fragment' } | undefined;
}

/** By agent, for each with a task here that goes on. Urgent words for an agent at work here are about that work (C2A-9). */
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
  // In a thread or DM the talk with an agent is one task; in a channel only what it asked about, or is still being asked, goes on.
  const talked = here.filter((task) => task.state !== 'waiting' && (place.kind !== 'channel' || isWriting(task)));
  const talks = talked.toSorted(
    // A request by name has the talk before a question to nobody.
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
 * A question to nobody by name: a reply to an agent of others, or in a thread of a channel to its only agent or to whichever
 * takes it (line 9), also when it was edited after its answer. `^ANY` is to all of them.
 */
export function beganUnaddressed(addressedBy: string, inThread: boolean, text: string): boolean {
  if (addressedBy === 'question') return true;
  return inThread && ((addressedBy === 'any_agent' && !calls(text, 'any_agent')) || (addressedBy === 'edit' && !calls(text)));
}

/** Anybody at all, where no kind is given. */
const calls = (text: string, kind?: AddressKind): boolean =>
  addressesIn(text, nobody).some((address) => kind === undefined || address.kind === kind);
const nobody = directory([]);

const isComposing = (task: TaskFacts): boolean => task.composingUntil !== null;

const isGrowing = ({ growing, state }: TaskFacts, { id }: ConversationPlace, now: number): boolean =>
  growing !== null && growing.conversationId === id && now < growing.until && growable.has(state);
/** Not where it asked, or waits for others: its turn is over, and it has acted. */
const growable: ReadonlySet<TaskState> = new Set(['queued', 'offered', 'active']);

/** Where it was asked for, in the thread on that, or where its question was put and is being answered. */
function isHere(task: TaskFacts, place: ConversationPlace, now: number): boolean {
  const { id, rootMessageId } = place;
  if (isGrowing(task, place, now)) return true;
  if ((task.state === 'waiting' || isComposing(task)) && task.askedIn !== null) return task.askedIn === id;
  return task.conversationId === id || (rootMessageId !== null && task.messageId === rootMessageId);
}

// The participants of a thread: its workers, those of the message it hangs on, and that message's author.

/** Ids, people among them; tasks of elsewhere are passed over. */
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

/** Whether the agent is one of the participants that are still here, or the only one. */
export const standsInThread = (agentId: string, agents: ReadonlySet<string>): Listener['inThread'] =>
  agents.has(agentId) ? (agents.size === 1 ? 'alone' : 'among') : undefined;

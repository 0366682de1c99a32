// May this agent say this, here, now (PAP-1)? Asked for every word of every agent, at every door, and nowhere else.

import { isOpen, nextState, type TaskState } from './task.ts';

/**
 * `decline`: its last word, that it cannot or will not. `draft`: what it is about to say, shown and not kept. `goodbye`:
 * asked to leave, it says so, in no task (C2A-16).
 */
export type Utterance = 'progress' | 'question' | 'answer' | 'decline' | 'draft' | 'goodbye';

export interface Floor {
  id: string;
  /** The message it is the thread on. */
  rootMessageId: string | null;
  /** Those whose DM it is. */
  pair: readonly string[] | null;
  /** Who is in it, or for a thread, where it hangs. */
  agentIn: boolean;
  requesterIn: boolean;
  archived: boolean;
  /** It was asked to leave here, or where this hangs; `goodbye`: and has its one word about it left. */
  left?: { goodbye: boolean } | undefined;
}

export interface SpokenTask {
  /** Null: nobody has it yet (`^ANY`). */
  agentId: string | null;
  requesterId: string | null;
  /** Where it was opened, and by which message. */
  conversationId: string;
  messageId: string;
  /** Where else its requester lets the agent speak. */
  outputs: readonly string[];
  state: TaskState;
  /** Of the turn that holds it now; none has before the first. */
  lease: number;
}

export interface Speech {
  kind: Utterance;
  agentId: string;
  /** Where it would be said; undefined: there is no such place. */
  where: Floor | undefined;
  /** The task it names; undefined: none, or one that does not exist. */
  task: SpokenTask | undefined;
  /** The one the speaker was given; a runner that has been replaced has an old one. */
  lease: number | undefined;
  /** Everything is stopped. */
  halted: boolean;
  /** It replies to a message that is part of its own work, or of what it gave to others; left out: it replies to none. */
  repliesToOwnWork?: boolean | undefined;
}

export type SpeechRefusal =
  | 'agent_without_task' // names none
  | 'asked_to_leave' // and was not called by name since
  | 'task_of_another' // it is another agent's
  | 'task_over' // it has ended; after the end, nothing
  | 'task_not_active' // it waits: for an answer, for its turn
  | 'task_elsewhere' // not in this conversation
  | 'must_not_respond' // it replies to what was not said to it
  | 'stale_lease' // another runner has it now
  | 'halted'
  | 'archived'; // nothing more is said there, by anyone

export function maySpeak(speech: Speech): { ok: true } | { ok: false; reason: SpeechRefusal } {
  const { kind, task, where } = speech;
  const refused = (reason: SpeechRefusal) => ({ ok: false, reason }) as const;
  if (kind === 'goodbye') return mayPart(speech);
  if (!task) return refused('agent_without_task');
  if (task.agentId !== speech.agentId) return refused('task_of_another');
  // Mostly its task there is over, too; but this is why.
  if (where?.left && !finishesIn(task, where)) return refused('asked_to_leave');
  if (!isOpen(task.state)) return refused('task_over');
  // Taken out of a room that its requester had named, it goes on where the task is.
  if (!where?.agentIn || !isGranted(kind, task, where)) return refused('task_elsewhere');
  if (!holds(speech, task)) return refused('stale_lease');
  if (!isItsTurn(kind, task.state)) return refused('task_not_active');
  if (speech.halted) return refused('halted');
  if (where.archived) return refused('archived');
  if (speech.repliesToOwnWork === false) return refused('must_not_respond');
  return { ok: true };
}

/** Work of those who did not ask it to leave: it finishes that in the thread, and nowhere else there (C2A-16). */
const finishesIn = (task: SpokenTask, where: Floor): boolean =>
  isOpen(task.state) && where.rootMessageId !== null && (where.id === task.conversationId || where.rootMessageId === task.messageId);

function mayPart({ where, halted }: Speech): ReturnType<typeof maySpeak> {
  const refused = (reason: SpeechRefusal) => ({ ok: false, reason }) as const;
  if (!where?.agentIn || !where.left) return refused('agent_without_task');
  if (!where.left.goodbye) return refused('asked_to_leave');
  if (halted) return refused('halted');
  return where.archived ? refused('archived') : { ok: true };
}

/** Where it was opened, the thread on its request, the pair's DM, and what its requester named and may still post to. */
function isGranted(kind: Utterance, task: SpokenTask, where: Floor): boolean {
  if (where.id === task.conversationId) return true;
  // Asked elsewhere, a question would find nobody who knows of it.
  if (task.outputs.includes(where.id)) return kind !== 'question' && where.requesterIn;
  if (where.rootMessageId === task.messageId) return true;
  return where.pair?.length === 2 && [task.agentId, task.requesterId].every((id) => id !== null && where.pair!.includes(id));
}

/** A task that never began has no lease, and its agent can still decline it. */
const holds = ({ kind, lease }: Speech, task: SpokenTask): boolean => lease === task.lease || (kind === 'decline' && task.lease === 0);

/** No can be said at any time; all else while it is at work. */
const isItsTurn = (kind: Utterance, state: TaskState): boolean =>
  kind === 'decline' ? nextState(state, 'decline') !== undefined : state === 'active';
/** What a turn knows of what was said in its task; places in the stream. */
export interface TurnKnowledge {
  /** It was given everything said up to here when it began. */
  begunAt: number;
  /** Its agent has acknowledged all events up to here; 0 for one that acknowledges nothing. */
  acked: number;
}

/** An answer is the last word only over what its turn could know (PAP-9, PAP-14): is there something it could not? */
export const isUnanswered = ({ begunAt, acked }: TurnKnowledge, followUps: readonly number[]): boolean =>
  followUps.some((place) => place > begunAt && place > acked);

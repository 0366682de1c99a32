// Whether an agent may post a text in a conversation now (PAP-1). Every door asks this for every text of an agent.

import { isOpen, nextState, type TaskState } from './task.ts';

/**
 * `decline`: the agent's last text, that it cannot or will not do the task. `draft`: the beginning of an answer, shown but not stored.
 * `goodbye`: the text of an agent that was asked to leave; it needs no task (C2A-16).
 */
export type Utterance = 'progress' | 'question' | 'answer' | 'decline' | 'draft' | 'goodbye';

export interface Floor {
  id: string;
  /** For a thread: the message on which it hangs. */
  rootMessageId: string | null;
  /** For a DM: its two members. */
  pair: readonly string[] | null;
  /** Whether the agent, and the requester, are members here; for a thread, of its channel. */
  agentIn: boolean;
  requesterIn: boolean;
  archived: boolean;
  /** The agent was asked to leave here, or the thread's channel. `goodbye`: it may still say goodbye. */
  left?: { goodbye: boolean } | undefined;
}

export interface SpokenTask {
  /** Null: no agent has claimed it yet (`^ANY`). */
  agentId: string | null;
  requesterId: string | null;
  /** The conversation and the message that opened the task. */
  conversationId: string;
  messageId: string;
  /** Other conversations in which the requester lets the agent post. */
  outputs: readonly string[];
  state: TaskState;
  /** The lease of the present turn; 0 before the first. */
  lease: number;
}

export interface Speech {
  kind: Utterance;
  agentId: string;
  /** The conversation; undefined if it does not exist. */
  where: Floor | undefined;
  /** The task of the text; undefined if it names none, or one that does not exist. */
  task: SpokenTask | undefined;
  /** The lease that the runner got. A runner that was replaced has an old one. */
  lease: number | undefined;
  /** The workspace is halted: no agent may post. */
  halted: boolean;
  /** Whether it replies to a message of its own work, or of a sub-task; left out if it replies to no message. */
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
  if (kind === 'goodbye') return maySayGoodbyeHere(speech);
  if (!task) return refused('agent_without_task');
  if (task.agentId !== speech.agentId) return refused('task_of_another');
  // Its task there is usually over too, but this reason explains it.
  if (where?.left && !finishesIn(task, where)) return refused('asked_to_leave');
  if (!isOpen(task.state)) return refused('task_over');
  // An agent that was removed from an output conversation may still post where its task is.
  if (!where?.agentIn || !isGranted(kind, task, where)) return refused('task_elsewhere');
  if (!holds(speech, task)) return refused('stale_lease');
  if (!isItsTurn(kind, task.state)) return refused('task_not_active');
  if (speech.halted) return refused('halted');
  if (where.archived) return refused('archived');
  if (speech.repliesToOwnWork === false) return refused('must_not_respond');
  return { ok: true };
}

/** Others than the one who sent it away may still wait for its work. It finishes that in the thread, and nowhere else (C2A-16). */
const finishesIn = (task: SpokenTask, where: Floor): boolean =>
  isOpen(task.state) && where.rootMessageId !== null && (where.id === task.conversationId || where.rootMessageId === task.messageId);

function maySayGoodbyeHere({ where, halted }: Speech): ReturnType<typeof maySpeak> {
  const refused = (reason: SpeechRefusal) => ({ ok: false, reason }) as const;
  if (!where?.agentIn || !where.left) return refused('agent_without_task');
  if (!where.left.goodbye) return refused('asked_to_leave');
  if (halted) return refused('halted');
  return where.archived ? refused('archived') : { ok: true };
}

/** The task's conversation, the thread on its request, the DM of both, and the outputs to which the requester may still post. */
function isGranted(kind: Utterance, task: SpokenTask, where: Floor): boolean {
  if (where.id === task.conversationId) return true;
  // Nobody in an output conversation could answer a question about the task.
  if (task.outputs.includes(where.id)) return kind !== 'question' && where.requesterIn;
  if (where.rootMessageId === task.messageId) return true;
  return where.pair?.length === 2 && [task.agentId, task.requesterId].every((id) => id !== null && where.pair!.includes(id));
}

/** A task that never began has no lease, and its agent can still decline it. */
const holds = ({ kind, lease }: Speech, task: SpokenTask): boolean => lease === task.lease || (kind === 'decline' && task.lease === 0);

/** An agent may decline at any time, and post anything else only during its turn. */
const isItsTurn = (kind: Utterance, state: TaskState): boolean =>
  kind === 'decline' ? nextState(state, 'decline') !== undefined : state === 'active';
/** The messages that a turn knows, as sequence numbers. */
export interface TurnKnowledge {
  /** The turn got all messages up to this one when it began. */
  begunAt: number;
  /** The agent has acknowledged all events up to this one; 0 if it acknowledges none. */
  acked: number;
}

/** Whether the task has a message that its turn could not know. The answer then does not end the task (PAP-9, PAP-14). */
export const isUnanswered = ({ begunAt, acked }: TurnKnowledge, followUps: readonly number[]): boolean =>
  followUps.some((seq) => seq > begunAt && seq > acked);

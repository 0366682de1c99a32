// May this agent say this, here, now (PAP-1)? Asked for every word of every agent, at every door, and nowhere else.

import { isOpen, type TaskState } from './task.ts';

export type Utterance = 'progress' | 'question' | 'answer';

export interface Speech {
  agentId: string;
  conversationId: string;
  /** The task it names; undefined: none, or one that does not exist. */
  task:
    | {
        /** Null: nobody has it yet (`^ANY`). */
        agentId: string | null;
        state: TaskState;
        /** Where it was opened, and where else its requester lets the agent speak. */
        grants: readonly string[];
        /** Of the turn that holds it now. */
        lease: number;
      }
    | undefined;
  /** The one the speaker was given; a runner that has been replaced has an old one. */
  lease: number | undefined;
  /** Everything is stopped. */
  halted: boolean;
}

export type SpeechRefusal =
  | 'agent_without_task' // names none
  | 'task_of_another' // it is another agent's
  | 'task_over' // it has ended; after the end, nothing
  | 'task_not_active' // it waits: for an answer, for its turn
  | 'task_elsewhere' // not in this conversation
  | 'stale_lease' // another runner has it now
  | 'halted';

export function maySpeak(speech: Speech): { ok: true } | { ok: false; reason: SpeechRefusal } {
  const { task } = speech;
  const refused = (reason: SpeechRefusal) => ({ ok: false, reason }) as const;
  if (!task) return refused('agent_without_task');
  if (task.agentId !== speech.agentId) return refused('task_of_another');
  if (!isOpen(task.state)) return refused('task_over');
  if (!task.grants.includes(speech.conversationId)) return refused('task_elsewhere');
  if (speech.lease !== task.lease) return refused('stale_lease');
  if (task.state !== 'active') return refused('task_not_active');
  if (speech.halted) return refused('halted');
  return { ok: true };
}

/** What a turn knows of what was said in its task; places in the stream. */
export interface Known {
  /** It was given everything said up to here when it began. */
  begunAt: number;
  /** Its agent has acknowledged what it was told up to here; 0 for one that acknowledges nothing. */
  acked: number;
}

/** An answer is the last word only over what its turn could know (PAP-9, PAP-14): is there something it could not? */
export const isUnanswered = ({ begunAt, acked }: Known, followUps: readonly number[]): boolean =>
  followUps.some((place) => place > begunAt && place > acked);

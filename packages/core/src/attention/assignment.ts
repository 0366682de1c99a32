// Whether a person may assign a message to an agent as work (C2A-12). The message stays as it was; only its assignee is
// new. Agents delegate inside a task of theirs, and never by this way.

import type { Verdict } from './attend.ts';

export interface AssignmentFacts {
  /** The message was deleted: there is nothing left to work on. */
  deleted: boolean;
  agent: {
    /** An agent, and not deactivated. */
    active: boolean;
    /** In the room where it was said; a thread's is the one it hangs in. */
    member: boolean;
    /** The message is older than what the agent may read there. */
    before: boolean;
    /** The agent wrote the message. */
    author: boolean;
    /** The agent has an open task that the message began, or that the message belongs to. */
    atIt: boolean;
  };
}

export type AssignRefusal = 'deleted' | 'not_here' | 'before_joining' | 'own_message' | 'already_assigned';

export function mayAssign({ deleted, agent }: AssignmentFacts): { ok: true } | { ok: false; reason: AssignRefusal } {
  const refused = (reason: AssignRefusal) => ({ ok: false, reason }) as const;
  if (deleted) return refused('deleted');
  if (!agent.active || !agent.member) return refused('not_here');
  if (agent.before) return refused('before_joining');
  if (agent.author) return refused('own_message');
  if (agent.atIt) return refused('already_assigned');
  return { ok: true };
}

/** The line of the list for it, whatever the words themselves say: a person has said whom they are for. */
export const assignmentVerdict = (urgent: boolean): Verdict => ({
  policy: 'must_respond',
  mode: urgent ? 'immediate' : 'buffered',
  reason: 'assigned',
  task: true,
});

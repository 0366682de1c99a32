// The outcome of a decision for one agent (C2A-32). An agent that kept silent, one that was not to speak and one that could
// not are three different outcomes.

import { isAnyones } from './offer.ts';
import type { AskedState } from './offer-round.ts';
import type { VerdictFields } from './verdict.ts';
import type { TaskState } from '../task/task.ts';

export type AgentOutcome =
  | 'answered'
  | 'working'
  | 'waiting' // for its turn, for a person, or for somebody to take it
  | 'declined' // it said no
  | 'silent' // it could have answered and did not
  | 'forbidden' // the policy: it was not to answer
  | 'withheld' // it was addressed, with nothing but filler
  | 'refused' // it was called and the bounds of the chain did not let it be asked
  | 'not_needed' // another took it
  | 'not_asked' // it could have been asked, and was not
  | 'stopped' // a person, or what it hung on, ended it
  | 'failed'; // the runtime: an error, no time, no budget, nobody there

/** As its task stands. */
export const outcomeOfTask: Readonly<Record<TaskState, AgentOutcome>> = {
  queued: 'waiting',
  offered: 'waiting',
  active: 'working',
  awaiting_delegation: 'working',
  waiting: 'waiting',
  awaiting_approval: 'waiting',
  completed: 'answered',
  declined: 'declined',
  failed: 'failed',
  timed_out: 'failed',
  cancelled: 'stopped',
};

export interface Became {
  withheld: boolean;
  /** The task it has, or had, for it. */
  task: { state: TaskState } | undefined;
  /** The agent had taken a task that was offered to several, and declined it or let its time pass. */
  letGo?: 'declined' | 'expired' | undefined;
  /** The task that was offered to several; undefined: there was none. */
  anyone: { taken: boolean; open: boolean } | undefined;
  /** The offer round of the message on an open floor: its state, and the answer of this agent. Left out: there was none. */
  round?: { taken: boolean; open: boolean; mine: AskedState | undefined } | undefined;
}

const outcomeOfAsking: Readonly<Record<Exclude<AskedState, 'taken'>, AgentOutcome>> = {
  open: 'waiting',
  declined: 'declined',
  expired: 'silent',
  withdrawn: 'failed',
  stopped: 'stopped',
};

function outcomeOfRound({ taken, open, mine }: NonNullable<Became['round']>): AgentOutcome {
  if (mine !== undefined && mine !== 'taken') return outcomeOfAsking[mine];
  if (taken) return 'not_needed';
  return open ? 'waiting' : 'not_asked';
}

export function outcomeOf(
  { policy, reason }: Pick<VerdictFields, 'policy' | 'reason'>,
  { withheld, task, letGo, anyone, round }: Became,
): AgentOutcome {
  if (task) return outcomeOfTask[task.state];
  if (letGo) return letGo === 'declined' ? 'declined' : 'failed';
  if (withheld) return 'withheld';
  if (policy === 'must_not_respond') return 'forbidden';
  if (policy === 'may_respond') return round ? outcomeOfRound(round) : 'not_asked';
  if (!isAnyones(reason)) return 'refused';
  if (anyone?.open === true && !anyone.taken) return 'waiting';
  return anyone?.taken === false ? 'silent' : 'not_needed';
}

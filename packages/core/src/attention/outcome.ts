// The outcome of a decision for one agent (C2A-32). An agent that kept silent, one that was not to speak and one that could
// not are three different outcomes.

import type { Outcome } from '@parley/protocol';
import { isAnyones } from './offer.ts';
import type { AskedState } from './offer-round.ts';
import type { VerdictFields } from './verdict.ts';
import type { TaskState } from '../task/task.ts';

/** As its task stands. */
export const outcomeOfTask: Readonly<Record<TaskState, Outcome>> = {
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

const outcomeOfAsking: Readonly<Record<Exclude<AskedState, 'taken'>, Outcome>> = {
  open: 'waiting',
  declined: 'declined',
  expired: 'silent',
  withdrawn: 'failed',
  stopped: 'stopped',
};

function outcomeOfRound({ taken, open, mine }: NonNullable<Became['round']>): Outcome {
  if (mine !== undefined && mine !== 'taken') return outcomeOfAsking[mine];
  if (taken) return 'not_needed';
  return open ? 'waiting' : 'not_asked';
}

export function outcomeOf(
  { policy, reason }: Pick<VerdictFields, 'policy' | 'reason'>,
  { withheld, task, letGo, anyone, round }: Became,
): Outcome {
  if (task) return outcomeOfTask[task.state];
  if (letGo) return letGo === 'declined' ? 'declined' : 'failed';
  if (withheld) return 'withheld';
  if (policy === 'must_not_respond') return 'forbidden';
  if (policy === 'may_respond') return round ? outcomeOfRound(round) : 'not_asked';
  if (!isAnyones(reason)) return 'refused';
  if (anyone?.open === true && !anyone.taken) return 'waiting';
  return anyone?.taken === false ? 'silent' : 'not_needed';
}

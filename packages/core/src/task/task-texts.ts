// Tasks and agents in words: one table for the page, the terminal, MCP and agents.

import type { Agent, Task, TaskCause } from '@parley/protocol';
import { isOpen, type TaskState } from './task.ts';

export const taskStateTexts: Readonly<Record<TaskState, string>> = {
  queued: 'queued',
  offered: 'offered, not taken yet',
  active: 'working',
  waiting: 'waiting for a reply',
  awaiting_approval: 'waiting for approval',
  awaiting_delegation: 'waiting for others',
  completed: 'answered',
  failed: 'failed',
  declined: 'declined',
  timed_out: 'out of time',
  cancelled: 'stopped',
};

/** Why a task ended, as a part of a sentence about its agent. */
export const causeTexts: Readonly<Record<TaskCause, string>> = {
  answered: 'its answer was deleted',
  declined: 'it declined',
  blocked: 'it is blocked',
  run_time: 'the time of this chain is over',
  outer_limit: 'this chain reached its limit of a day',
  waited_too_long: 'its question was not answered',
  offline: 'it was offline and did not come back',
  stopped: 'a person stopped it',
  redirected: 'a person gave it to another agent',
  parent_ended: 'the task it was for has ended',
  request_deleted: 'the request was deleted',
  request_edited: 'the edited request no longer addresses it',
  agent_left: 'it is no longer there',
  requester_left: 'its requester has left',
  channel_archived: 'the channel was archived',
  budget: 'its budget is exhausted',
  no_progress: 'the loop guard ended the exchange',
  settled: 'it was settled meanwhile',
  brain_failed: 'an error stopped it',
  nobody_took_it: 'no agent took it',
  role_removed: 'the role was removed',
  signalled: 'it sent no message',
  already_handled: 'it was already handled',
  asked_to_leave: 'it was asked to leave',
  claim_expired: 'it took the task and said nothing',
  disconnected: 'it disconnected',
};

/** The state says as much. */
const plainCauses: ReadonlySet<TaskCause> = new Set(['answered', 'declined', 'run_time', 'stopped', 'brain_failed']);

/** `stopped: the request was deleted`. `requester`: the words for the requester; "you" for oneself. */
export function taskText(
  task: Pick<Task, 'state' | 'cause' | 'reason' | 'failure' | 'agentOnline' | 'agentId' | 'composingUntil'>,
  requester = 'its requester',
): string {
  const { state, cause, reason } = task;
  if (state === 'waiting') return `waiting for ${requester === 'you' ? 'your reply' : requester}`;
  if (task.composingUntil !== null) return `starts when ${requester === 'you' ? 'you have' : `${requester} has`} finished writing`;
  if (state === 'queued' && task.agentId === null) return 'waiting for an agent that can take it';
  if (state === 'queued' && !task.agentOnline) return 'queued, offline';
  // The notice beside it says which key, and leads to where it is set.
  if (task.failure === 'no_key') return 'needs a key';
  const why = reason ?? (cause === null || isOpen(state) || plainCauses.has(cause) ? null : causeTexts[cause]);
  if (why === null) return taskStateTexts[state];
  return `${state === 'completed' ? 'done' : taskStateTexts[state]}: ${why}`;
}

export const agentStatusTexts: Readonly<Record<Agent['status'], string>> = {
  offline: 'offline',
  sleeping: 'asleep',
  working: 'working',
  awaiting_approval: 'waiting for approval',
  awaiting_delegation: 'waiting for others',
  idle: 'ready',
};

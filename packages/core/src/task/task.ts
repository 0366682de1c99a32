// One bounded piece of work (SYS-8): from the message that asks for it to its one end.

import type { Agent } from '@parley/protocol';

export const openStates = ['queued', 'offered', 'active', 'waiting', 'awaiting_approval', 'awaiting_delegation'] as const;
export const endStates = ['completed', 'failed', 'declined', 'timed_out', 'cancelled'] as const;
export const taskStates = [...openStates, ...endStates] as const;
export type OpenState = (typeof openStates)[number];
export type EndState = (typeof endStates)[number];
export type TaskState = (typeof taskStates)[number];

export const isOpen = (state: TaskState): state is OpenState => (openStates as readonly string[]).includes(state);

export type TaskEvent =
  | 'offer' // to whichever agent takes it
  | 'claim' // one took it
  | 'begin' // a turn of its agent began
  | 'ask' // the agent asked its requester something
  | 'pause' // its turn ended while work it gave to others goes on
  | 'await' // its turn ended while a person is asked whether it may go on
  | 'resume' // something it waited for has come
  | 'yield' // its turn was taken from it: halted, or the runner is gone
  | 'release' // who had claimed it has it no more
  | 'complete'
  | 'decline' // cannot, or will not, with a reason
  | 'fail'
  | 'time_out'
  | 'cancel';

const whileOpen = (to: EndState) => Object.fromEntries(openStates.map((state) => [state, to])) as Record<OpenState, EndState>;

/** Every transition there is; what is not here does not happen. */
export const transitions: Readonly<Record<TaskEvent, Readonly<Partial<Record<TaskState, TaskState>>>>> = {
  offer: { queued: 'offered' },
  claim: { offered: 'queued', queued: 'queued' },
  begin: { queued: 'active' },
  // A signal asks, or ends it, before a turn was begun (C2A-22).
  ask: { queued: 'waiting', active: 'waiting' },
  pause: { active: 'awaiting_delegation' },
  await: { active: 'awaiting_approval' },
  resume: { waiting: 'queued', awaiting_delegation: 'queued', awaiting_approval: 'queued' },
  yield: { active: 'queued', offered: 'queued' },
  release: { queued: 'queued', active: 'queued', waiting: 'queued', awaiting_delegation: 'queued', awaiting_approval: 'queued' },
  complete: { queued: 'completed', active: 'completed' },
  decline: { queued: 'declined', active: 'declined', waiting: 'declined', awaiting_delegation: 'declined', awaiting_approval: 'declined' },
  fail: whileOpen('failed'),
  time_out: whileOpen('timed_out'),
  cancel: whileOpen('cancelled'),
};

/** Undefined: not from this state. An ended task never moves again. */
export const nextState = (state: TaskState, event: TaskEvent): TaskState | undefined => transitions[event][state];

/**
 * Whether an agent is to act in it, so that the chain's time runs. A sub-task carries its own time: its parent's does not run.
 * An agent that waits for a person, or for an absent agent, is not to be blamed for the wait. An active task is being run, by
 * whatever door.
 */
export const isActing = (state: TaskState, agentIsHere: boolean): boolean =>
  state === 'offered' || state === 'active' || (state === 'queued' && agentIsHere);

export type AgentStatus = 'offline' | 'sleeping' | 'working' | 'awaiting_approval' | 'awaiting_delegation' | 'idle';

/** By precedence: the first that holds. `woken`: what events have it do, which is no task. */
export function agentStatus(
  agent: { online: boolean; asleep: boolean },
  tasks: readonly TaskState[],
  woken: Agent['woken'] = null,
): AgentStatus {
  if (!agent.online) return 'offline';
  if (agent.asleep) return 'sleeping';
  if (tasks.some((state) => state === 'active') || woken === 'working') return 'working';
  if (tasks.includes('awaiting_approval') || woken === 'awaiting_approval') return 'awaiting_approval';
  if (tasks.includes('awaiting_delegation')) return 'awaiting_delegation';
  return 'idle';
}

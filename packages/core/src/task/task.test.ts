import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  agentStatus,
  type AgentStatus,
  endStates,
  isActing,
  isOpen,
  nextState,
  type TaskEvent,
  type TaskState,
  taskStates,
  transitions,
} from './task.ts';

const events = Object.keys(transitions) as TaskEvent[];

/** The table once more, written apart from the code: a state's ways out. A change of it has to be made twice, on purpose. */
// prettier-ignore
const expected: Record<TaskState, Partial<Record<TaskEvent, TaskState>>> = {
  queued:              { offer: 'offered', claim: 'queued', begin: 'active', ask: 'waiting', release: 'queued', complete: 'completed', decline: 'declined', fail: 'failed', time_out: 'timed_out', cancel: 'cancelled' },
  offered:             { claim: 'queued', yield: 'queued', fail: 'failed', time_out: 'timed_out', cancel: 'cancelled' },
  active:              { ask: 'waiting', pause: 'awaiting_delegation', await: 'awaiting_approval', yield: 'queued', release: 'queued', complete: 'completed', decline: 'declined', fail: 'failed', time_out: 'timed_out', cancel: 'cancelled' },
  waiting:             { resume: 'queued', release: 'queued', decline: 'declined', fail: 'failed', time_out: 'timed_out', cancel: 'cancelled' },
  awaiting_approval:   { resume: 'queued', release: 'queued', decline: 'declined', fail: 'failed', time_out: 'timed_out', cancel: 'cancelled' },
  awaiting_delegation: { resume: 'queued', release: 'queued', decline: 'declined', fail: 'failed', time_out: 'timed_out', cancel: 'cancelled' },
  completed: {}, failed: {}, declined: {}, timed_out: {}, cancelled: {},
};

test.each(taskStates)('[SYS-8] from %s there are exactly these ways', (state) => {
  expect(Object.fromEntries(waysOf(state))).toEqual(expected[state]);
});

function waysOf(state: TaskState): [TaskEvent, TaskState][] {
  return events.flatMap((event): [TaskEvent, TaskState][] => {
    const next = nextState(state, event);
    return next === undefined ? [] : [[event, next]];
  });
}

test('[SYS-8] every state can be reached', () => {
  const reached = new Set<TaskState>(['queued']);
  for (const state of reached) for (const [, next] of waysOf(state)) reached.add(next);
  expect(new Set(taskStates).difference(reached)).toEqual(new Set());
});

test('[PAP-7] [SYS-8] whatever happens to a task, it ends once and never moves again', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events)), (happenings) => {
      let state: TaskState = 'queued';
      let ends = 0;
      for (const event of happenings) {
        const next = nextState(state, event);
        if (!isOpen(state)) expect(next).toBeUndefined();
        if (next !== undefined && !isOpen(next)) ends++;
        state = next ?? state;
        expect(taskStates).toContain(state);
      }
      expect(ends).toBe(isOpen(state) ? 0 : 1);
    }),
  );
});

test('[PAP-15] [PAP-8] an open task can be stopped and can run out of time, in any state', () => {
  for (const state of taskStates.filter(isOpen)) {
    expect(nextState(state, 'cancel')).toBe('cancelled');
    expect(nextState(state, 'time_out')).toBe('timed_out');
  }
});

test.each<[TaskState, here: boolean, gone: boolean]>([
  ['queued', true, false],
  // Somebody runs it, whether or not the agent holds a line open: one that goes away gives it back.
  ['active', true, true],
  // Offered to whoever is here: it is not one agent's absence that holds it up.
  ['offered', true, true],
  ['waiting', false, false],
  ['awaiting_approval', false, false],
  ['awaiting_delegation', false, false],
  ...endStates.map((state): [TaskState, boolean, boolean] => [state, false, false]),
])('[PAP-7] while a task is %s, an agent is to act: %s when it is there, %s when it is not', (state, here, gone) => {
  expect([isActing(state, true), isActing(state, false)]).toEqual([here, gone]);
});

const there = { online: true, asleep: false };
test.each<[AgentStatus, { online: boolean; asleep: boolean }, TaskState[]]>([
  ['offline', { online: false, asleep: true }, ['active']],
  ['sleeping', { online: true, asleep: true }, ['active']],
  ['working', there, ['awaiting_delegation', 'awaiting_approval', 'active']],
  ['awaiting_approval', there, ['awaiting_delegation', 'awaiting_approval']],
  ['awaiting_delegation', there, ['completed', 'awaiting_delegation']],
  ['idle', there, ['queued', 'waiting', 'completed']],
  ['idle', there, []],
])('[SYS-8] an agent is %s before anything less', (status, agent, tasks) => {
  expect(agentStatus(agent, tasks)).toBe(status);
});

test.each<[AgentStatus, { online: boolean; asleep: boolean }, TaskState[], 'working' | 'awaiting_approval']>([
  ['offline', { online: false, asleep: true }, [], 'working'],
  ['sleeping', { online: true, asleep: true }, [], 'working'],
  ['working', there, [], 'working'],
  ['working', there, ['awaiting_approval', 'awaiting_delegation'], 'working'],
  ['working', there, ['active'], 'awaiting_approval'],
  ['awaiting_approval', there, ['awaiting_delegation'], 'awaiting_approval'],
  ['awaiting_approval', there, ['queued'], 'awaiting_approval'],
])('[SYS-8] an agent is %s by what events have it do as well: %j, tasks %j, %s', (status, agent, tasks, woken) => {
  expect(agentStatus(agent, tasks, woken)).toBe(status);
});

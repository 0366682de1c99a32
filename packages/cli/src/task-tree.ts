// Tasks as a tree: what was given on stands under who gave it on.

import type { Task } from '@parley/protocol';

export interface Names {
  /** `^ORAC`, `@ann`; undefined when they are not known. */
  member(id: string): string | undefined;
  /** `#general`. */
  place(conversationId: string): string | undefined;
}

const states: Record<Task['state'], string> = {
  queued: 'queued',
  offered: 'offered',
  active: 'working',
  waiting: 'waiting for an answer',
  awaiting_approval: 'waiting for approval',
  awaiting_delegation: 'waiting for others',
  completed: 'answered',
  failed: 'failed',
  declined: 'declined',
  timed_out: 'out of time',
  cancelled: 'stopped',
};

/** What the state alone does not say. */
const causes: Partial<Record<NonNullable<Task['cause']>, string>> = {
  blocked: 'it is blocked',
  outer_limit: 'it took a day',
  waited_too_long: 'nobody answered',
  offline: 'its agent was offline',
  redirected: 'given to another',
  parent_ended: 'no longer wanted',
  request_deleted: 'the request was deleted',
  request_edited: 'no longer addressed',
  agent_left: 'its agent left',
  requester_left: 'who asked has left',
  budget: 'the budget is spent',
  no_progress: 'it went round in circles',
  settled: 'it was settled',
  brain_failed: 'its agent failed',
};

/** `asker`: what to call whoever asked. */
export function stateOf(task: Task, asker = 'who asked'): string {
  const why = task.cause === null ? undefined : causes[task.cause];
  if (why !== undefined) return `${states[task.state]}: ${why}`;
  if (task.composingUntil !== null) return `waits for more from ${asker}`;
  if (task.state === 'queued' && task.agentId === null) return 'nobody is there to take it';
  if (task.state === 'queued' && !task.agentOnline) return 'queued, offline';
  return states[task.state];
}

/** `29:05`, or `3 h 05` from an hour on. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const pad = (n: number): string => String(n).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))}`;
}

export function timeLeft({ timer, endedAt }: Task, now: number): string {
  if (endedAt !== null) return `${span(now - endedAt)} ago`;
  if (timer === null) return '';
  // A clock that stands: nothing is to be done before somebody answers or comes back.
  if (timer.endsAt === null) return `${span(timer.leftMs ?? 0)} paused`;
  return `${span(timer.endsAt - now)} left`;
}

/** One row per task, in order; a child whose parent is not among them stands by itself. */
export function taskTree(tasks: readonly Task[], names: Names, now: number): string[][] {
  const known = new Set(tasks.map((task) => task.id));
  const under = Map.groupBy(tasks, (task) => (task.parentId !== null && known.has(task.parentId) ? task.parentId : ''));
  const rows: string[][] = [];
  const add = (task: Task, before: string, branch: string, below: string): void => {
    const asker = task.requesterId === null ? 'nobody any more' : (names.member(task.requesterId) ?? '?');
    const agent = task.agentId === null ? '^ANY' : (names.member(task.agentId) ?? '?');
    rows.push([
      `${before}${branch}${agent}`,
      stateOf(task, asker),
      timeLeft(task, now),
      asker,
      names.place(task.conversationId) ?? '',
      task.id,
    ]);
    const children = under.get(task.id) ?? [];
    for (const [n, child] of children.entries()) {
      const last = n === children.length - 1;
      add(child, `${before}${below}`, last ? '└ ' : '├ ', last ? '  ' : '│ ');
    }
  };
  for (const root of under.get('') ?? []) add(root, '', '', '');
  return rows;
}

export const treeHead = ['AGENT', 'STATE', 'TIME', 'FOR', 'IN', 'TASK'];

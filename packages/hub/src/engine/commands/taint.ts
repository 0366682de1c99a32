import { isOpen, type Source } from '@parley/core';
import { type Handler } from '../command.ts';
import { chainLock } from '../steps/tasks/tasks.ts';
import { taintTask } from '../steps/tasks/taint.ts';

export interface TaintCommands {
  /** What is about to be read in a task comes from there. By the platform: who reads does not get to say. */
  'task.taint': [{ taskId: string; source: Source }, Record<string, never>];
}

const taint: Handler<'task.taint'> = {
  locks: () => [],
  needs: (c) => [
    { table: 'tasks', values: [c.taskId] },
    { table: 'taints', values: [c.taskId, c.source.kind] },
  ],
  decide: (c, set, context) => {
    const task = set.get('tasks', c.taskId);
    if (!task || !isOpen(task.state)) return {};
    context.lock(chainLock(task.chain_id));
    taintTask(task, c.source, set, context);
    return {};
  },
};

export const taintHandlers = { 'task.taint': taint };

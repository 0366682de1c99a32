// What the scheduler hears of a task or is told by the engine, and what it makes of it.

/** Refusals that say that somebody else decided meanwhile: nothing is wrong. */
export const overtaken = new Set([
  'task_over',
  'task_not_active',
  'stale_lease',
  'halted',
  'agent_busy',
  'composing',
  'already_claimed',
  'task_of_another',
  'not_offered',
  'not_found',
  'forbidden',
  'asked_to_leave',
]);

/** Facts after which nobody is at the task any more. */
export const stopped = new Set([
  'task.complete',
  'task.fail',
  'task.decline',
  'task.time_out',
  'task.cancel',
  'task.yield',
  'task.release',
  'task.pause',
  'task.await',
  'task.ask',
]);

// How the scheduler learns that a task is not its own to run any more.

import { type ErrorCode, lostClaimCodes, ParleyError } from '@parley/protocol';

/** Somebody else decided meanwhile: an expected end of a race. */
const overtaken: ReadonlySet<ErrorCode> = new Set([...lostClaimCodes, 'agent_busy', 'composing', 'forbidden', 'asked_to_leave']);
export const isOvertaken = (error: unknown): error is ParleyError => error instanceof ParleyError && overtaken.has(error.code);

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

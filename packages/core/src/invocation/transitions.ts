// The states of an invocation, and how it moves from one to another.

import type { InvocationState } from '@parley/protocol';

/** Every move, by the state that it starts from; no other move exists. */
export const invocationMoves: Readonly<Record<InvocationState, readonly InvocationState[]>> = {
  // Calls that may have happened are asked about one after the other.
  awaiting_approval: ['awaiting_approval', 'queued', 'failed', 'expired', 'denied', 'cancelled'],
  queued: ['running', 'awaiting_approval', 'cancelled'],
  running: ['completed', 'failed', 'waiting_retry', 'queued', 'awaiting_approval', 'cancelled'],
  waiting_retry: ['queued', 'cancelled'],
  // A person retries it: it is asked for again, or there is nobody to ask.
  expired: ['awaiting_approval', 'cancelled'],
  completed: [],
  failed: [],
  denied: [],
  cancelled: [],
};

/** The state that it moves to; throws for a move that the table does not have, as only a defect asks for one. */
export function movedInvocation(from: InvocationState, to: InvocationState): InvocationState {
  if (invocationMoves[from].includes(to)) return to;
  throw new Error(`An invocation does not move from ${from} to ${to}`);
}

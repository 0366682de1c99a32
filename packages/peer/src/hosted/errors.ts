// A peer's refusals and faults, as the hub reads them.

import { badInput, PeerCallError } from '@parley/protocol';

/** Errors about what a person gave. */
const inputErrors = ['CardError', 'CalendarError'];

/** For the operator's log: a code or a kind, because a message may hold words of a negotiation or of a calendar. */
export function faultOf(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return [name, code].filter((word) => typeof word === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(word)).join(' ') || 'unknown fault';
}

/** No refusal, but a fault of the service. */
export const isUnforeseen = (error: unknown): boolean =>
  !(error instanceof PeerCallError) && !inputErrors.includes((error as Error).constructor.name);

export function asCallError(error: unknown): PeerCallError {
  if (error instanceof PeerCallError) return error;
  const { message } = error as Error;
  return isUnforeseen(error) ? new PeerCallError('unavailable', `Your peer could not do it: ${message}`) : badInput(message);
}

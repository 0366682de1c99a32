// A peer's refusals, as the hub reads them.

import { PeerCallError, type PeerCallErrorCode } from '@parley/protocol';
import { PeerError, type PeerErrorCode } from '../packets/errors.ts';

const codes: { readonly [C in PeerErrorCode]?: PeerCallErrorCode } = {
  no_identity: 'not_found',
  unknown_peer: 'not_found',
  unknown_id: 'not_found',
  bad_input: 'bad_input',
  answered: 'answered',
  calendar_conflict: 'calendar_conflict',
  occupied: 'occupied',
  relay_away: 'unavailable',
  queue_full: 'unavailable',
};
/** Errors about what a person gave. */
const inputErrors = ['CardError', 'CalendarError'];

/** For the operator's log: a code or a kind, because a message may hold words of a negotiation or of a calendar. */
export function faultOf(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return [name, code].filter((word) => typeof word === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(word)).join(' ') || 'unknown fault';
}

/** No refusal, but a fault of the service. */
export const isUnforeseen = (error: unknown): boolean =>
  !(error instanceof PeerCallError) && !(error instanceof PeerError) && !inputErrors.includes((error as Error).constructor.name);

export function asCallError(error: unknown): PeerCallError {
  if (error instanceof PeerCallError) return error;
  if (error instanceof PeerError) return new PeerCallError(codes[error.code] ?? 'refused', error.message);
  const { message } = error as Error;
  return isUnforeseen(error)
    ? new PeerCallError('unavailable', `Your peer could not do it: ${message}`)
    : new PeerCallError('bad_input', message);
}

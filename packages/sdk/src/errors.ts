// A refusal of the hub is a ParleyError; a failure on the way to the hub is a ConnectionError. A caller that
// mixes them up would retry a refusal or give up on a dropped cable.

import { errorCodes, ParleyError } from '@parley/protocol';
import type { ErrorCode, Problem } from '@parley/protocol';

export type ConnectionFailure =
  /** No answer came: refused, reset, DNS, offline. The request may have been carried out. */
  | 'network'
  /** No answer came in time. The request may have been carried out. */
  | 'timeout'
  /** An answer came, but not one a hub would give. */
  | 'bad_answer';

export class ConnectionError extends Error {
  readonly failure: ConnectionFailure;

  constructor(failure: ConnectionFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
    this.failure = failure;
  }

  shouldRetry(): boolean {
    return this.failure !== 'bad_answer';
  }
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code);

/** Proxies answer for a hub that is away, in their own words; the status is all there is to go by. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated';
  if (status === 404) return 'not_found';
  if (status === 413) return 'too_large';
  if (status === 429) return 'rate_limited';
  if (status >= 502 && status <= 504) return 'unavailable';
  return 'internal';
}

export interface LooseError {
  code?: unknown;
  message?: unknown;
  reason?: unknown;
  problems?: unknown;
}

interface LooseWireError {
  error?: LooseError;
}

export function decodeError(status: number, text: string): ParleyError {
  let wire: LooseWireError | null = null;
  try {
    wire = JSON.parse(text) as LooseWireError | null;
  } catch {
    // Not JSON: somebody else's error page.
  }
  const error = typeof wire === 'object' && wire !== null && typeof wire.error === 'object' ? wire.error : undefined;
  if (error === undefined || typeof error.code !== 'string') return new ParleyError(codeOfStatus(status), `The hub answered ${status}`);
  return errorFrom(error);
}

/** A code this client does not know yet becomes `internal`: newer hubs must not break older clients. */
export function errorFrom(error: LooseError): ParleyError {
  const code = isErrorCode(error.code) ? error.code : 'internal';
  return new ParleyError(code, typeof error.message === 'string' ? error.message : undefined, {
    ...(typeof error.reason === 'string' ? { reason: error.reason } : {}),
    ...(Array.isArray(error.problems) ? { problems: error.problems.filter(isProblem) } : {}),
  });
}

function isProblem(value: unknown): value is Problem {
  const problem = value as Problem | null;
  return typeof problem === 'object' && problem !== null && typeof problem.field === 'string' && typeof problem.message === 'string';
}

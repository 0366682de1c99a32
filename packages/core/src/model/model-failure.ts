// When a model does not answer as it should: whether it is asked again, after how long, or another is asked instead. The
// reason that people and other agents read is made here, of the platform's own words: what a provider says in an error may
// repeat a prompt or a part of a key.

export interface ModelFailure {
  class: FailureClass;
  status?: number | undefined;
  /** The provider said when to come back. */
  retryAfterMs?: number | undefined;
}

/** `tries`: of one model, in one step. For a wait longer than `mostMs` another model is asked. */
const retryLimits = { tries: 3, firstMs: 1500, mostMs: 60_000 };

// What took its whole time once is not given it a second time; what was refused would be refused again.
const passing: ReadonlySet<FailureClass> = new Set(['rate_limited', 'server_error', 'network', 'malformed']);

/** How long to wait before the same model is asked again; null: it is not. `tries`: made so far, the failed one included. */
export function waitAfter({ class: kind, retryAfterMs }: ModelFailure, tries: number): number | null {
  if (!passing.has(kind) || tries >= retryLimits.tries) return null;
  const wait = Math.max(retryLimits.firstMs * 2 ** (tries - 1), retryAfterMs ?? 0);
  return wait > retryLimits.mostMs ? null : wait;
}

/** `retry-after` in seconds or as a date, `retry-after-ms` in milliseconds. */
export function retryAfterOf(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const after = headers?.['retry-after'];
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : seconds * 1000;
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

export function failureOfStatus(status: number, retryAfterMs?: number): ModelFailure {
  if (status === 429 || status === 529) return { class: 'rate_limited', status, retryAfterMs };
  if (status === 401 || status === 403) return { class: 'unauthorized', status };
  if (status >= 500 || status === 408 || status === 409) return { class: 'server_error', status, retryAfterMs };
  // Of its form, and still not what was asked for: the body could not be read.
  return { class: status < 400 ? 'malformed' : 'rejected', status };
}

const words = {
  rate_limited: 'Rate limit exceeded',
  server_error: 'The model’s server failed',
  network: 'No connection to the model',
  /** An answer that is not of the provider's form, or breaks off. */
  malformed: 'The model’s answer could not be read',
  timeout: 'The model took too long',
  /** A stream that does not end. */
  too_long: 'The model did not come to an end',
  unauthorized: 'The model’s server refused the key',
  rejected: 'The model’s server refused the request',
  filtered: 'The model’s server withheld the answer',
  empty: 'The model returned nothing',
  no_key: 'There is no key for the model',
  /** To other hosts than this model's. */
  key_bound: 'The key may not be sent to the model’s host',
  /** In the hub's own network, which nobody allowed. */
  private_address: 'The model’s host is in the hub’s own network',
  no_model: 'No model is configured',
} as const;
export type FailureClass = keyof typeof words;

const remedies: Partial<Record<FailureClass, string>> = {
  no_key: '; an owner or admin sets it under Keys',
  key_bound: '; an owner allows the host with `npx parley secrets bind`',
  private_address: '; the operator can allow it with PARLEY_PRIVATE_HOSTS',
};

/** `Rate limit exceeded (anthropic, 429)`. An error that a person can mend at once says where. */
export const failureText = (provider: string, { class: kind, status }: ModelFailure): string =>
  `${words[kind]} (${provider}${status === undefined ? '' : `, ${status}`})${remedies[kind] ?? ''}`;

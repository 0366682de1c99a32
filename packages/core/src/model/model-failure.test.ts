import { expect, test } from 'vitest';
import { type FailureClass, failureOfStatus, failureText, type ModelFailure, retryAfterOf, waitAfter } from './model-failure.ts';

test.each<[failure: ModelFailure, tries: number, wait: number | null]>([
  [{ class: 'rate_limited' }, 1, 1500],
  [{ class: 'rate_limited' }, 2, 3000],
  [{ class: 'rate_limited' }, 3, null],
  [{ class: 'rate_limited', retryAfterMs: 7000 }, 1, 7000],
  [{ class: 'rate_limited', retryAfterMs: 10 }, 1, 1500],
  [{ class: 'rate_limited', retryAfterMs: 3_600_000 }, 1, null],
  [{ class: 'server_error' }, 1, 1500],
  [{ class: 'network' }, 2, 3000],
  [{ class: 'malformed' }, 1, 1500],
  [{ class: 'timeout' }, 1, null],
  [{ class: 'too_long' }, 1, null],
  [{ class: 'unauthorized' }, 1, null],
  [{ class: 'rejected' }, 1, null],
  [{ class: 'filtered' }, 1, null],
  [{ class: 'empty' }, 1, null],
  [{ class: 'no_key' }, 1, null],
])('after %j, %i tries made, it is asked again in %s', (failure, tries, wait) => expect(waitAfter(failure, tries)).toBe(wait));

test.each<[status: number, kind: FailureClass]>([
  [200, 'malformed'],
  [400, 'rejected'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [404, 'rejected'],
  [408, 'server_error'],
  [429, 'rate_limited'],
  [500, 'server_error'],
  [503, 'server_error'],
  [529, 'rate_limited'],
])('status %i is %s', (status, kind) => expect(failureOfStatus(status).class).toBe(kind));

const now = Date.UTC(2026, 0, 1);
test.each<[headers: Record<string, string> | undefined, ms: number | undefined]>([
  [undefined, undefined],
  [{}, undefined],
  [{ 'retry-after': '5' }, 5000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': new Date(now + 9000).toUTCString() }, 9000],
  [{ 'retry-after': new Date(now - 9000).toUTCString() }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after-ms': '250', 'retry-after': '5' }, 250],
  [{ 'retry-after-ms': 'x', 'retry-after': '5' }, 5000],
])('%j says to come back in %s', (headers, ms) => expect(retryAfterOf(headers, now)).toBe(ms));

test('a reason names the provider and what went wrong, in the platform’s words', () => {
  expect(failureText('anthropic', { class: 'rate_limited', status: 429 })).toBe('Rate limit exceeded (anthropic, 429)');
  expect(failureText('openai', { class: 'empty' })).toBe('The model returned nothing (openai)');
});

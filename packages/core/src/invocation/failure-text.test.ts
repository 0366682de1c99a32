import { expect, test } from 'vitest';
import { checkpointText } from '../approval/checkpoint-texts.ts';
import { failedText, failedWords, isInInbox } from './failure-text.ts';

const now = { trigger: 'disk-full', reason: 'not_delivered' };

test.each([
  [false, []],
  [true, [now]],
  [false, [{ ...now, reason: 'timed_out' }]],
  [false, [{ ...now, trigger: 'fan-failed' }]],
  [true, [{ ...now, reason: 'timed_out' }, now]],
])('[PAP-14] a failure reaches the owner’s inbox: %s, with %j', (known, open) => {
  expect(isInInbox(open, now)).toBe(known);
});

test.each([
  ['timed_out', null, 'it ran for too long'],
  ['failed', 'There is no key.', '“There is no key.”'],
  ['not_delivered', 'No.', 'its result could not be delivered: “No.”'],
  ['constructor', null, 'something went wrong'],
  [null, null, 'something went wrong'],
])('[PAP-14] why it failed, %s and %s, is a part of a sentence', (reason, error, words) => {
  expect(failedWords(reason, error)).toBe(words);
});

test.each([
  ['There is no key.', '“There is no key.” `npx parley'],
  ['There is no key', '“There is no key”. `npx parley'],
  ['x'.repeat(400), `${'x'.repeat(299)}…” \`npx parley`],
  [null, 'something went wrong. `npx parley'],
])('[PAP-14] a reason with a full stop gets no second one: %s', (error, words) => {
  expect(failedText({ reason: null, error, invocation: 'inv_1' })).toContain(words);
});

test('[PAP-14] in the inbox it is a sentence', () => {
  const failed = { trigger: 'disk-full', invocation: 'inv_1', reason: 'not_delivered', error: 'There is no such conversation.' };
  expect(checkpointText('failed_run', { about: [], count: 0, failed })).toBe(
    'The run that your trigger disk-full started has failed: its result could not be delivered: “There is no such conversation.” `npx parley invocations show inv_1` shows more.',
  );
});

import { expect, test } from 'vitest';
import { contactHeader, requestTitle } from './contact-header.ts';
import { delegationFailed, delegationResult, requestText } from './contact-texts.ts';
import { asMoney } from '../budget/model-cost.ts';

const context = 'I write\n\nthe report';

test('[IAC-10] every header that is written is read back, with what stands below it', () => {
  const given = { message: 'Q4?\nAll of it.', taskId: 'tsk_1', priority: 'high' as const };
  expect(contactHeader(requestText('ask', 'ORAC', given))).toEqual({
    kind: 'ask',
    name: 'ORAC',
    priority: undefined,
    taskId: undefined,
    rest: 'Q4?\nAll of it.',
  });
  expect(contactHeader(requestText('delegate', 'a.b-c', { ...given, context: 'x' }))).toEqual({
    kind: 'delegate',
    name: 'a.b-c',
    priority: 'high',
    taskId: 'tsk_1',
    rest: 'Context: x\n\nQ4?\nAll of it.',
  });
  expect(contactHeader(requestText('notify', 'ORAC', given))).toMatchObject({ kind: 'notify', name: 'ORAC', rest: 'Q4?\nAll of it.' });
  expect(contactHeader(delegationResult('ORAC', 'tsk_1', '2.4'))).toMatchObject({ kind: 'result', taskId: 'tsk_1', rest: '2.4' });
  expect(contactHeader(delegationFailed('ORAC', 'tsk_1', 'no'))).toMatchObject({
    kind: 'failed',
    rest: 'Error: ORAC failed to complete the task: no',
  });
});

test.each([
  'hello',
  ' [Agent Request from A | Pattern: ask]',
  '[Agent Request from A | Pattern: order]\n\nx',
  '[Agent Request from A] | Pattern: ask]',
  `[Agent Notification from ${'A'.repeat(500)}]`,
  '[Delegation Failed | A]',
])('[IAC-10] %j is no header', (text) => {
  expect(contactHeader(text)).toBeUndefined();
});

test('[IAC-18] a task is called by the first line of what asked for it', () => {
  expect(requestTitle('^ORAC do it\nand more')).toBe('^ORAC do it');
  expect(requestTitle('\n\n  after blanks  \n')).toBe('after blanks');
  expect(requestTitle('')).toBe('');
  expect(requestTitle('x'.repeat(500))).toHaveLength(160);
  const asked = requestText('delegate', 'A', { message: 'Pull it', context: 'I write the report', taskId: 't' });
  expect(requestTitle(asked, true)).toBe('Pull it');
  // Nobody's own words are cut because they look like a header.
  expect(requestTitle(asked)).toBe('[Agent Request from A | Pattern: delegate | Priority: normal | Task: t]');
  expect(requestTitle(requestText('ask', 'A', { message: 'Context: is everything' }), true)).toBe('Context: is everything');
  expect(requestTitle(requestText('ask', 'A', { message: 'Q', context }), true)).toBe('the report');
});

test.each([
  [0, '$0.00'],
  [1, 'under $0.0001'],
  [4_200, '$0.0042'],
  [12_345, '$0.01'],
  [2_500_000, '$2.50'],
])('[IAC-18] %d millionths are %s', (micros, words) => {
  expect(asMoney(micros)).toBe(words);
});

import { expect, test } from 'vitest';
import { checkpoint } from '../../../test/fixtures.ts';
import { pastSentence, sentenceOf, settledText, withoutEffect } from './settled-text.ts';

const closed = { open: false, closedAt: 1, closedBy: 'ann' };
const choices = [{ choice: 'did', label: 'It did' }];

test('[SYS-1] a settled checkpoint says who decided what, and when', () => {
  const text = (extra: Parameters<typeof checkpoint>[1]) => settledText(checkpoint('c', { ...closed, ...extra }), '@ann', '10:12 PM');
  expect(text({ choice: 'approve' })).toBe('Approved by @ann, 10:12 PM');
  expect(text({ choice: 'deny' })).toBe('Denied by @ann, 10:12 PM');
  expect(text({ choice: 'answered' })).toBe('Answered by @ann, 10:12 PM');
  expect(text({ choice: 'did', choices })).toBe('@ann answered “It did”, 10:12 PM');
  expect(text({ choice: null, closedBy: null })).toBe('Closed without an answer, 10:12 PM');
  expect(text({ kind: 'proposal', choice: null, closedBy: null })).toBe('No longer open, 10:12 PM');
  const notRun = { invocationId: 'inv_1', why: 'The deadline has passed.', expired: true, again: true };
  expect(withoutEffect(notRun)).toBe(
    'It was approved, but expired: the deadline has passed. To ask again: npx parley invocations ask inv_1',
  );
});

test('[SYS-1] the line of a settled checkpoint says what was wanted', () => {
  expect(pastSentence({ text: 'PILOT wants to use publish:' })).toBe('PILOT wanted to use publish.');
  expect(pastSentence({ text: 'Your peer asks what it may share.' })).toBe('Your peer asked what it may share.');
  expect(pastSentence({ text: 'Your peer has a proposal for you.' })).toBe('Your peer had a proposal for you.');
  expect(pastSentence({ text: 'A negotiation of yours needs your decision.' })).toBe('A negotiation of yours needed your decision.');
  expect(pastSentence({ text: 'PILOT was interrupted while it called pay. The call may have happened:' })).toBe(
    'PILOT was interrupted while it called pay. The call may have happened.',
  );
});

test('[SYS-1] a sentence above a clock ends without a colon', () => {
  expect(sentenceOf({ text: 'PILOT wants to use publish:' })).toBe('PILOT wants to use publish');
});

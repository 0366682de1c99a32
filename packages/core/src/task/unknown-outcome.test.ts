import { expect, test } from 'vitest';
import { approvalReasons, approvalText } from '../approval/approval-texts.ts';
import { checkpointText, choicesOf } from '../approval/checkpoint-texts.ts';
import { confirmedText, isUnknownChoice, leftText, unknownChoices } from './call-record.ts';

test('[SYS-12] a call that may have happened has three answers, and says which call it was', () => {
  expect(Object.keys(choicesOf('may_have_happened'))).toEqual([...unknownChoices]);
  expect(Object.values(choicesOf('may_have_happened'))).toEqual(['It did', 'Do it again', 'Leave it']);
  expect(unknownChoices.every(isUnknownChoice)).toBe(true);
  expect(isUnknownChoice('approve')).toBe(false);
  expect(approvalText({ agent: 'ORAC', name: 'pay', unknown: true })).toBe(
    'ORAC was interrupted while it called pay. The call may have happened:',
  );
  expect(approvalReasons.unknown).toBe('The call is not made again unless you say so.');
  expect(checkpointText('may_have_happened', { about: ['^ORAC'], count: 1 })).toBe(
    '^ORAC was interrupted in a call that may have happened.',
  );
  expect([confirmedText('pay'), leftText('pay')].every((text) => text.includes('Do not make this call again.'))).toBe(true);
});

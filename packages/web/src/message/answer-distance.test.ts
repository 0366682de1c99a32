import { expect, test } from 'vitest';
import { message, task, timeline } from '../../test/fixtures.ts';
import { isApartFromRequest } from './answer-distance.ts';

const asked = message('m1', 1);
const word = (id: string, seq: number) => message(id, seq, { authorId: 'orac', task: { id: 't', kind: 'progress' } });
const answer = message('m9', 9, { authorId: 'orac', task: { id: 't', kind: 'answer' } });
const other = message('m5', 5);

test('an answer stands apart once anything but words of its task lies between', () => {
  const t = task('t');
  expect(isApartFromRequest(answer, t, timeline([asked, answer]))).toBe(false);
  expect(isApartFromRequest(answer, t, timeline([asked, word('m2', 2), answer]))).toBe(false);
  expect(isApartFromRequest(answer, t, timeline([asked, other, answer]))).toBe(true);
  expect(isApartFromRequest(answer, t, timeline([asked, other, word('m7', 7), answer]))).toBe(true);
  // Given elsewhere than it was asked.
  expect(isApartFromRequest(answer, task('t', { conversationId: 'far' }), timeline([answer]))).toBe(true);
  // At the top of what is loaded nothing can be said.
  expect(isApartFromRequest(answer, t, timeline([answer]))).toBe(false);
});

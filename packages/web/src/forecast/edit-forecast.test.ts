import type { Task } from '@parley/protocol';
import { expect, test } from 'vitest';
import { member, message, stateOf, task } from '../../test/fixtures.ts';
import { byId } from '../state/model.ts';
import { foreseeEdit } from './edit-forecast.ts';

const people = [member('ada'), member('ben')];
const agents = [member('orac', { kind: 'agent', handle: 'ORAC' }), member('stef', { kind: 'agent', handle: 'STEF' })];
const room = { id: 'con', kind: 'channel', floor: 'polite', members: [...people, ...agents] } as const;

/** Ada edits `before`, for which these tasks were made, into `after`. */
const of = (before: string, after: string, tasks: Partial<Task>[] = [], extra: Parameters<typeof message>[2] = {}) =>
  foreseeEdit(
    stateOf({
      members: byId([...people, ...agents]),
      tasks: byId(tasks.map((one, n) => task(`t${n}`, { messageId: 'm1', ...one }))),
    }),
    { room, conversationId: 'con', root: null, rootAuthorId: null },
    message('m1', 1, { authorId: 'ada', body: before, ...extra }),
    after,
  );

test.each([
  ['one more is called', '^ORAC look', '^ORAC ^STEF look', 'Wakes ^STEF. ^ORAC goes on with the new text.'],
  ['it says something else', '^ORAC look here', '^ORAC look there', '^ORAC goes on with the new text.'],
  ['only the spelling', '^ORAC look here', '^ORAC Look here.', 'Wakes nobody else.'],
  ['it is no longer called', '^ORAC look', '@ben look', 'Cancels the request to ^ORAC.'],
  ['nothing is left to answer', '^ORAC look', '^ORAC thanks', 'Cancels the request to ^ORAC.'],
  ['it is asked to leave', '^ORAC look', '^ORAC please leave this channel', 'Asks ^ORAC to leave. Cancels the request to ^ORAC.'],
])('[C2A-25] [SYS-3] an edit before the answer, %s', (_, before, after, sentence) => {
  expect(of(before, after, [{}]).text).toBe(sentence);
});

test('[C2A-26] [SYS-3] after the answer it may look again; nothing is cancelled', () => {
  const answered = { state: 'completed', cause: 'answered' } as const;
  expect(of('^ORAC look here', '^ORAC look there', [answered])).toEqual({
    tone: 'wakes',
    text: '^ORAC has answered and may look at it again.',
  });
  expect(of('^ORAC look here', 'look there', [answered])).toEqual({ tone: 'quiet', text: 'Wakes nobody else.' });
});

test('[C2A-25] [SYS-3] what nobody was asked, and what belongs to another request', () => {
  expect(of('look here', '^STEF look here').text).toBe('Wakes ^STEF.');
  expect(of('look here', '^ANY look here').text).toBe('Is offered to ^ORAC and ^STEF.');
  const offered = { agentId: null, state: 'offered', addressedBy: 'any_agent' } as const;
  expect(of('^ANY look here', 'look here', [offered]).text).toBe('Withdraws the offer.');
  expect(of('^ANY look here', '^ANY look there', [offered]).text).toBe('Wakes nobody else.');
  const part = { task: { id: 't0', kind: 'follow_up' } } as const;
  expect(of('and the logs', 'and the old logs', [{ messageId: 'm0' }], part).text).toBe('^ORAC goes on with the new text.');
  expect(of('and the logs', '@ben and the logs', [{ messageId: 'm0' }], part).text).toBe('Removes this text from the request to ^ORAC.');
});

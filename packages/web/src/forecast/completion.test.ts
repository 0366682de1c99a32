import { expect, test } from 'vitest';
import { member } from '../../test/fixtures.ts';
import { choicesFor, complete, takesEnter, typedAt } from './completion.ts';
import type { TypedHandle } from './completion.ts';

/** `|` is the caret. */
const typed = (marked: string) => typedAt(marked.replace('|', ''), marked.indexOf('|'));

test.each([
  ['^|', '^', ''],
  ['hello ^or|', '^', 'or'],
  ['(^or|)', '^', 'or'],
  ['hello @be|n', '@', 'be'],
  ['`code` ^o|', '^', 'o'],
])('[PAP-18] %s is being addressed', (marked, sigil, query) => {
  expect(typed(marked)).toMatchObject({ sigil, query });
});

test.each(['2^A|', 'me@be|', '`^or|`', '> ^or|', 'https://x.example/@be|', '\\^or|', '```\n^or|', 'hello |', '^or x|', '^ор|'])(
  '[PAP-18] %s is not',
  (marked) => {
    expect(typed(marked)).toBeNull();
  },
);

const here = [
  member('ada'),
  member('ben', { displayName: 'Ben Okafor' }),
  member('stef', { kind: 'agent', handle: 'STEF', displayName: 'Stefan' }),
  member('orac', { kind: 'agent', handle: 'ORAC', displayName: 'Oracle' }),
  member('zoe', { kind: 'agent', handle: 'TRACE', displayName: 'Zoe' }),
];
const handles = (sigil: '^' | '@', query: string) =>
  choicesFor({ sigil, query, start: 0, end: 0 }, here, 'ada').map((choice) => choice.handle);

test('[PAP-18] an agent that is not here is completed last, once something is typed', () => {
  const elsewhere = [member('planner', { kind: 'agent', handle: 'PLANNER' }), member('paul')];
  const of = (query: string) => choicesFor({ sigil: '^', query, start: 0, end: 0 }, here, 'ada', elsewhere);
  expect(of('pl')).toMatchObject([{ handle: 'PLANNER', name: 'not in this conversation', elsewhere: true }]);
  expect(of('').some((choice) => choice.elsewhere)).toBe(false);
});

test('after ^ there are agents and their groups, after @ everyone but oneself', () => {
  expect(handles('^', '')).toEqual(['ORAC', 'STEF', 'TRACE', 'ALL', 'ANY']);
  expect(handles('@', '')).toEqual(['ben', 'ORAC', 'STEF', 'TRACE', 'all', 'any']);
});

test('[C2A-34] roles that somebody here holds are offered, too', () => {
  const held = [...here.slice(0, 2), { ...here[2]!, roles: ['oncall'] }, { ...here[3]!, roles: ['oncall'] }];
  const found = (sigil: '^' | '@') => choicesFor({ sigil, query: 'onc', start: 0, end: 0 }, held, 'ada');
  expect(found('^')).toMatchObject([{ handle: 'oncall', name: 'role, 2 hold it here', member: null }]);
  expect(found('@')).toMatchObject([{ handle: 'oncall' }]);
});

test('the beginning of a handle comes before the beginning of a name, and that before any part of either', () => {
  expect(handles('^', 'a')).toEqual(['ALL', 'ANY', 'ORAC', 'STEF', 'TRACE']);
  expect(handles('^', 'ra')).toEqual(['ORAC', 'TRACE']);
  expect(handles('@', 'oka')).toEqual(['ben']);
  expect(handles('^', 'zo')).toEqual(['TRACE']);
  expect(handles('^', 'nobody')).toEqual([]);
});

test('Enter completes what is begun; it sends when the handle is there in full, or nothing but the sigil', () => {
  const at = (query: string): TypedHandle => ({ sigil: '^', query, start: 0, end: query.length + 1 });
  const takes = (query: string) => takesEnter(at(query), choicesFor(at(query), here, 'ada'));
  expect([takes('or'), takes('orac'), takes('ORAC'), takes(''), takes('nobody')]).toEqual([true, false, false, false, false]);
});

test.each([
  ['hi ^or|', 'hi ^ORAC |'],
  ['hi ^o|ra, look', 'hi ^ORAC|, look'],
  ['^or| what?', '^ORAC |what?'],
  ['^|', '^ORAC |'],
])('%s becomes %s', (marked, expected) => {
  const text = marked.replace('|', '');
  const done = complete(text, typed(marked)!, 'ORAC');
  expect(`${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`).toBe(expected);
});

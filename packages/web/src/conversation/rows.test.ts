import { expect, test } from 'vitest';
import { message, timeline } from '../../test/fixtures.ts';
import type { Pending } from '../state/model.ts';
import { buildRows } from './rows.ts';

const noon = new Date(2026, 4, 14, 12).getTime();
const minute = 60_000;
const at = (id: string, seq: number, time: number, authorId = 'ben') => message(id, seq, { createdAt: time, authorId });
const shape = (input: Partial<Parameters<typeof buildRows>[0]>) =>
  buildRows({ timeline: undefined, pending: [], newAfter: null, myId: 'ada', since: null, ...input }).map((row) =>
    row.type === 'message' || row.type === 'pending'
      ? `${row.type === 'pending' ? 'pending ' : ''}${row.key}${row.compact ? ' compact' : ''}`
      : row.type,
  );
const pending = (key: string, time: number, seenAs: string | null = null): Pending => ({
  key,
  conversationId: 'con',
  root: null,
  body: '',
  attachments: [],
  at: time,
  failed: null,
  seenAs,
});

test('messages of one author within five minutes go on under one name', () => {
  const list = [at('a', 1, noon), at('b', 2, noon + minute), at('c', 3, noon + 2 * minute, 'eve'), at('d', 4, noon + 9 * minute, 'eve')];
  expect(shape({ timeline: timeline(list) })).toEqual(['day', 'a', 'b compact', 'c', 'd']);
});

test('what has reactions or replies below it ends its group', () => {
  const reacted = { ...at('a', 1, noon, 'ada'), reactions: [{ emoji: '🎉', memberIds: ['ben'] }] };
  const answered = { ...at('b', 2, noon, 'ada'), threadReplies: 1 };
  const list = [reacted, answered, at('c', 3, noon, 'ada'), at('d', 4, noon, 'ada')];
  expect(shape({ timeline: timeline(list) })).toEqual(['day', 'a', 'b', 'c', 'd compact']);
  expect(shape({ timeline: timeline([answered]), pending: [pending('k', noon)] })).toEqual(['day', 'b', 'pending k']);
});

test('a new day is named, and begins a new group', () => {
  const midnight = new Date(2026, 4, 15).getTime();
  const list = [at('a', 1, midnight - minute), at('b', 2, midnight + minute)];
  expect(shape({ timeline: timeline(list) })).toEqual(['day', 'a', 'day', 'b']);
  expect(shape({ timeline: timeline(list), since: midnight - 2 * minute })).toEqual(['a', 'day', 'b']);
});

test('the line for new messages stands before the first of somebody else', () => {
  const list = [at('a', 1, noon), at('b', 2, noon, 'ada'), at('c', 3, noon), at('d', 4, noon)];
  expect(shape({ timeline: timeline(list), newAfter: 1 })).toEqual(['day', 'a', 'b', 'new', 'c', 'd compact']);
});

test('what is on its way stands at the end, until the real one is there', () => {
  const list = [at('a', 1, noon, 'ada')];
  const pendings = [pending('k1', noon, 'a'), pending('k2', noon + minute)];
  expect(shape({ timeline: timeline(list), pending: pendings })).toEqual(['day', 'a', 'pending k2 compact']);
});

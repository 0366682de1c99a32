import { expect, test } from 'vitest';
import { checkpoint, message, notice, timeline } from '../../test/fixtures.ts';
import type { PendingMessage } from '../state/model.ts';
import { buildRows, withSettled } from './timeline-rows.ts';

const noon = new Date(2026, 4, 14, 12).getTime();
const minute = 60_000;
const at = (id: string, seq: number, time: number, authorId = 'ben') => message(id, seq, { createdAt: time, authorId });
const shape = (input: Partial<Parameters<typeof buildRows>[0]>) =>
  buildRows({ timeline: undefined, pending: [], newAfter: null, myId: 'ada', since: null, ...input }).map((row) =>
    row.type === 'message' || row.type === 'pending'
      ? `${row.type === 'pending' ? 'pending ' : ''}${row.key}${row.compact ? ' compact' : ''}`
      : row.type,
  );
const pending = (key: string, time: number, seenAs: string | null = null): PendingMessage => ({
  key,
  conversationId: 'con',
  root: null,
  body: '',
  attachments: [],
  at: time,
  failed: null,
  asksFor: null,
  confirmAll: null,
  seenAs,
});

test('messages of one author within five minutes go on under one name', () => {
  const list = [at('a', 1, noon), at('b', 2, noon + minute), at('c', 3, noon + 2 * minute, 'eve'), at('d', 4, noon + 9 * minute, 'eve')];
  expect(shape({ timeline: timeline(list) })).toEqual(['day', 'a', 'b compact', 'c', 'd']);
});

test('what has reactions or replies below it ends its group', () => {
  const reacted = { ...at('a', 1, noon, 'ada'), reactions: [{ emoji: '🎉', memberIds: ['ben'], signal: null }] };
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

test('a notice stands where it was told, breaks the group, and only inside the window', () => {
  const list = [at('a', 10, noon), at('b', 20, noon), at('c', 30, noon)];
  const notices = [notice(5, { at: noon }), notice(11, { at: noon }), notice(31, { at: noon })];
  expect(shape({ timeline: timeline(list), notices })).toEqual(['day', 'notice', 'a', 'notice', 'b', 'c compact', 'notice']);
  const open = timeline(list, { moreBefore: true, moreAfter: true });
  expect(shape({ timeline: open, notices })).toEqual(['day', 'a', 'notice', 'b', 'c compact']);
});

test('an agent’s answer is told apart from what it said on the way; a draft stands last', () => {
  const said = (id: string, seq: number, kind: 'progress' | 'answer') => ({ ...at(id, seq, noon, 'orac'), task: { id: 't', kind } });
  const list = [said('a', 1, 'progress'), said('b', 2, 'progress'), said('c', 3, 'answer')];
  const drafts = [{ taskId: 't2', conversationId: 'con', memberId: 'orac', text: 'Hm' }];
  expect(shape({ timeline: timeline(list), drafts })).toEqual(['day', 'a', 'b compact', 'c', 'draft']);
  expect(shape({ timeline: timeline(list, { moreAfter: true }), drafts })).toEqual(['day', 'a', 'b compact', 'c']);
});

test('agents that are offline for one message are told of in one row', () => {
  const away = (seq: number, messageId: string) => notice(seq, { kind: 'agent_offline', at: noon, messageId });
  const rows = buildRows({
    timeline: timeline([at('a', 1, noon)]),
    pending: [],
    newAfter: null,
    myId: 'ada',
    since: null,
    notices: [away(2, 'a'), away(3, 'a'), away(4, 'b')],
  });
  expect(rows.map((row) => (row.type === 'notice' ? row.also.length : row.type))).toEqual(['day', 'message', 1, 0]);
});

test('[C2A-16] who was asked to leave is said where it was, before its goodbye', () => {
  const leave = { conversationId: 'con', parentId: null, memberId: 'orac', askedBy: 'ben', at: noon + minute };
  const list = [at('a', 1, noon), at('bye', 2, noon + minute, 'orac'), at('c', 3, noon + 2 * minute)];
  expect(shape({ timeline: timeline(list), leaves: [leave] })).toEqual(['day', 'a', 'leave', 'bye', 'c']);
  expect(shape({ timeline: timeline([list[0]!]), leaves: [leave] })).toEqual(['day', 'a', 'leave']);
  // Outside the window there is nothing it could stand beside.
  expect(shape({ timeline: timeline([list[0]!], { moreAfter: true }), leaves: [leave] })).toEqual(['day', 'a']);
});

test('[SYS-1] a settled checkpoint is a line where its card stood; the card that was answered here stays', () => {
  const list = [at('a', 10, noon), at('b', 20, noon)];
  const [card, line] = [checkpoint('card', { seq: 11, createdAt: noon }), checkpoint('line', { seq: 12, createdAt: noon, open: false })];
  const kept = [{ id: 'card', checkpoint: card, open: false }];
  const checkpoints = withSettled(kept, [line, { ...card, open: false }]);
  expect(shape({ timeline: timeline(list), checkpoints })).toEqual(['day', 'a', 'checkpoint', 'settled', 'b']);
});

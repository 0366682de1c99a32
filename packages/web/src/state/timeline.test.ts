import { expect, test } from 'vitest';
import { message, timeline } from '../../test/fixtures.ts';
import { appendMessage, mergePage, newerOf, trimTimeline, upsertMessage } from './timeline.ts';

const page = (ids: number[], more: { before?: boolean; after?: boolean } = {}) => ({
  messages: ids.map((seq) => message(`m${seq}`, seq)),
  moreBefore: more.before ?? false,
  moreAfter: more.after ?? false,
});
const of = (...seqs: number[]) => timeline(seqs.map((seq) => message(`m${seq}`, seq)));

test('messages stand by their seq, whichever way they came', () => {
  const late = appendMessage(of(1, 4), message('m3', 3));
  expect(late.ids).toEqual(['m1', 'm3', 'm4']);
  expect(appendMessage(late, message('m3', 3)).ids).toEqual(['m1', 'm3', 'm4']);
});

test('a window in the middle of history gets no message that would hide a hole', () => {
  const middle = { ...of(1, 2), moreAfter: true };
  const next = appendMessage(middle, message('m9', 9));
  expect(next.ids).toEqual(['m1', 'm2']);
  expect(mergePage(next, page([3, 4], { after: true }), 'after', next.messages)).toMatchObject({
    ids: ['m1', 'm2', 'm3', 'm4'],
    moreAfter: true,
  });
  expect(mergePage(next, page([3, 8]), 'after', next.messages)).toMatchObject({ ids: ['m1', 'm2', 'm3', 'm8', 'm9'], moreAfter: false });
});

test('a page that was read before a fact arrived does not undo it', () => {
  const edited = message('m2', 2, { version: 2, body: 'edited' });
  const reacted = { ...message('m1', 1), reactions: [{ emoji: '👍', memberIds: ['ben'], signal: 'agree' as const }] };
  const loading = timeline([], { loading: 'first' });
  const told = [edited, reacted, message('m5', 5)].reduce((now, item) => appendMessage(now, item), loading);
  expect(told.ids).toEqual([]);
  const merged = mergePage(told, page([1, 2, 3]), 'replace', loading.messages);
  expect(merged.ids).toEqual(['m1', 'm2', 'm3', 'm5']);
  expect(merged.messages['m2']?.body).toBe('edited');
  expect(merged.messages['m1']?.reactions).toHaveLength(1);
});

test('a page replaces what was here before it was asked for, be it edited, gone or never said', () => {
  const stale = timeline([message('m1', 1, { body: 'old' }), message('m2', 2), message('m9', 9)]);
  const merged = mergePage(stale, page([1, 3]), 'replace', stale.messages);
  expect(merged.ids).toEqual(['m1', 'm3']);
  expect(merged.messages['m1']?.body).toBe('m1');
});

test('earlier pages go in front and say whether there is more', () => {
  const merged = mergePage({ ...of(5, 6), moreBefore: true, loading: 'before' }, page([3, 4], { before: true }), 'before', {});
  expect(merged).toMatchObject({ ids: ['m3', 'm4', 'm5', 'm6'], moreBefore: true, moreAfter: false, loading: null });
});

test('an older version never replaces a newer one', () => {
  const now = timeline([message('m1', 1, { version: 2 })]);
  expect(upsertMessage(now, message('m1', 1))).toBe(now);
});

test('an answer counts when it is newer than what the stream brought', () => {
  const known = message('m1', 1, { version: 2 });
  const edited = message('m1', 1, { version: 3 });
  const deleted = message('m1', 1, { version: 2, deletedAt: 5 });
  expect(newerOf(known, message('m1', 1, { version: 2 }))).toBe(known);
  expect(newerOf(known, message('m1', 1))).toBe(known);
  expect(newerOf(known, edited)).toBe(edited);
  expect(newerOf(known, deleted)).toBe(deleted);
  expect(newerOf(deleted, known)).toBe(deleted);
  expect(newerOf(undefined, known)).toBe(known);
});

test('what is left keeps its newest page', () => {
  const long = of(...Array.from({ length: 12 }, (_, index) => index + 1));
  expect(trimTimeline(long, 5)).toMatchObject({ ids: ['m8', 'm9', 'm10', 'm11', 'm12'], moreBefore: true });
  expect(Object.keys(trimTimeline(long, 5).messages)).toHaveLength(5);
  expect(trimTimeline(long, 6)).toBe(long);
});

import { expect, test } from 'vitest';
import { obligation } from '../../test/fixtures.ts';
import { oweSentence, owedSentence } from './owed-words.ts';

const names = { myId: 'ada', called: (id: string) => (id === id.toUpperCase() ? `^${id}` : `@${id}`) };
const owe = (extra: Parameters<typeof obligation>[1] = {}) => oweSentence(obligation('o', extra), names);
const owed = (extra: Parameters<typeof obligation>[1] = {}) =>
  owedSentence(obligation('o', { authorId: 'ada', recipientId: 'BOT', holderId: 'BOT', ...extra }), names);

test('[C2A-31] what one owes says who waits, and how much they are held up', () => {
  expect(owe()).toBe('@ben waits for an answer of yours, and can do nothing until then.');
  expect(owe({ blocks: 'degraded' })).toBe('@ben waits for an answer of yours, and can do only part of it until then.');
  expect(owe({ blocks: 'none' })).toBe('@ben waits for an answer of yours, which can wait.');
  expect(owe({ holderId: 'BOSS', level: 1 })).toBe(
    '@ben waits for an answer of yours, and can do nothing until then. ^BOSS is reminded of it now.',
  );
  expect(owe({ recipientId: 'BOT', level: 1 })).toBe('@ben waits for an answer that ^BOT has not given, and can do nothing until then.');
  expect(owe({ authorId: 'BOT', reciprocalOf: 'o1' })).toBe('It is not clear to ^BOT what you asked: say more, and it comes back to them.');
});

test('[C2A-31] what one waits for says of whom, and how far it has gone', () => {
  expect(owed()).toBe('You wait for ^BOT.');
  expect(owed({ returns: 1 })).toBe('You wait for ^BOT. One reminder so far.');
  expect(owed({ level: 1, holderId: 'BOSS', returns: 2 })).toBe('You wait for ^BOT. It went up to ^BOSS. 2 reminders so far.');
  expect(owed({ authorId: 'ben', delegateId: 'ada' })).toBe('@ben waits for ^BOT.');
});

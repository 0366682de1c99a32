import { expect, test } from 'vitest';
import { obligation } from '../../../test/fixtures.ts';
import { oweSentence, owedSentence } from './obligation-words.ts';

const names = { myId: 'ada', called: (id: string) => (id === id.toUpperCase() ? `^${id}` : `@${id}`) };
const owe = (extra: Parameters<typeof obligation>[1] = {}) => oweSentence(obligation('o', extra), names);
const owed = (extra: Parameters<typeof obligation>[1] = {}) =>
  owedSentence(obligation('o', { authorId: 'ada', recipientId: 'BOT', holderId: 'BOT', ...extra }), names);

test('[C2A-31] what one owes says who waits, and how much they are held up', () => {
  expect(owe()).toBe('@ben is waiting for your reply, and blocked until then.');
  expect(owe({ blocks: 'degraded' })).toBe('@ben is waiting for your reply, and can do only part of the work until then.');
  expect(owe({ blocks: 'none' })).toBe('@ben is waiting for your reply. It is not urgent.');
  expect(owe({ holderId: 'BOSS', level: 1 })).toBe('@ben is waiting for your reply, and blocked until then. ^BOSS gets the reminders now.');
  expect(owe({ recipientId: 'BOT', level: 1 })).toBe('@ben is waiting for a reply that ^BOT owes, and blocked until then.');
  expect(owe({ authorId: 'BOT', reciprocalOf: 'o1' })).toBe(
    '^BOT did not understand what you asked. Say more, and it gets your request again.',
  );
});

test('[C2A-31] what one waits for says of whom, and how far it has gone', () => {
  expect(owed()).toBe('You are waiting for ^BOT.');
  expect(owed({ returns: 1 })).toBe('You are waiting for ^BOT. One reminder so far.');
  expect(owed({ level: 1, holderId: 'BOSS', returns: 2 })).toBe('You are waiting for ^BOT. It was escalated to ^BOSS. 2 reminders so far.');
  expect(owed({ authorId: 'ben', delegateId: 'ada' })).toBe('@ben is waiting for ^BOT.');
});

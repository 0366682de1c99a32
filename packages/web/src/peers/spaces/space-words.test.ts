import { expect, test } from 'vitest';
import { agreementText, asField, isWebAddress, nameIn, othersText, typedText, valueOf } from './space-words.ts';

const people = [
  { address: 'agent:ann@x', name: 'Ann', may: 'full-write' as const, isGone: false, isMe: true },
  { address: 'agent:bob@x', name: 'Bob', may: 'full-write' as const, isGone: false, isMe: false },
  { address: 'agent:cat@x', name: 'Cat', may: 'read-all' as const, isGone: true, isMe: false },
];

test('[A2C-33] a space names the others who are still in it', () => {
  expect(othersText({ people })).toBe('With Bob');
  expect(othersText({ people: people.slice(0, 1) })).toBe('Everybody else left');
  expect([nameIn({ people }, 'agent:ann@x'), nameIn({ people }, 'agent:eve@x')]).toEqual(['You', 'agent:eve@x']);
});

test('[A2C-33] a value is typed again as it was, and a text that is no JSON stays a text', () => {
  for (const value of ['Ritz', '12', ['a'], { a: 1 }]) expect(valueOf(typedText(value))).toEqual(value);
  expect(valueOf('[not json')).toBe('[not json');
  expect(asField(' Next actions! ')).toBe('next_actions_');
});

test.each<[string, boolean]>([
  ['https://example.com/a?b=c#d', true],
  ['http://example.com', false],
  ['javascript:alert(1)', false],
  ['https://', false],
  ['see https://example.com', false],
  ['https://bank.example@evil.example/', false],
  ['https://ex\u202eample.com', false],
  ['https://еxample.com', false],
])('[A2C-33] whether %s is a link to the web', (text, isLink) => expect(isWebAddress(text)).toBe(isLink));

test('[A2C-33] an agreement to be read in a channel is said in words, of its own writer only', () => {
  const change = { field: 'bob.posts_to', by: 'agent:bob@x', value: '#general' };
  expect(agreementText(change)).toBe('lets their words be read in #general');
  expect(agreementText({ ...change, value: null })).toBe('no longer lets their words be read in a channel');
  expect(agreementText({ ...change, by: 'agent:eve@x' })).toBeUndefined();
  expect(agreementText({ ...change, field: 'bob.flight' })).toBeUndefined();
});

import { expect, test } from 'vitest';
import { readArrangement } from './arrangement.ts';

const one = (name: string, intent: string) => ({ with: [name], intent, quorum: null });
const group = (names: string, intent: string, quorum: number | null = null) => ({ with: names.split(' '), intent, quorum });

test.each([
  [' dinner with @bob on Friday', one('@bob', 'dinner on Friday')],
  [' dinner on Friday with @bob', one('@bob', 'dinner on Friday')],
  [' dinner with @bob.', one('@bob', 'dinner')],
  [' a call with @Jörg-Peter tomorrow, urgent!', one('@Jörg-Peter', 'a call tomorrow, urgent')],
  [' lunch with agent:bob@relay.example next week', one('agent:bob@relay.example', 'lunch next week')],
  [' dinner with @bob and @BOB', one('@bob', 'dinner')],
  [' dinner with @bob for at least 2', one('@bob', 'dinner for at least 2')],
  [' dinner with bob', undefined],
  [' with @bob', undefined],
  [' dinner', undefined],
  [' dinner for @eve with @bob', undefined],
  [' dinner with @bob on Friday and with @eve', undefined],
  [` ${'x'.repeat(600)} with @bob`, undefined],
  [' `dinner`\n**now** with @bob', one('@bob', 'dinner now')],
])('[A2C-34] arrange%s', (text, read) => {
  expect(readArrangement(text)).toEqual(read);
});

test.each([
  [' game night with @ben @cleo @dan on Friday', group('@ben @cleo @dan', 'game night on Friday')],
  [' dinner with @bob and @eve', group('@bob @eve', 'dinner')],
  [' dinner with @bob and with @eve, tomorrow', group('@bob @eve', 'dinner, tomorrow')],
  [' game night with @ben, @cleo & agent:dan@relay.example on Friday', group('@ben @cleo agent:dan@relay.example', 'game night on Friday')],
  [' game night with @ben, @cleo, and @dan on Friday, at least 3', group('@ben @cleo @dan', 'game night on Friday', 3)],
  [' game night with @ben @cleo @dan if at least three can make it', group('@ben @cleo @dan', 'game night', 3)],
  [' game night on Friday with @ben @cleo @dan (at least 3 of us)', group('@ben @cleo @dan', 'game night on Friday', 3)],
  [' game night with @ben @cleo, quorum 2', group('@ben @cleo', 'game night', 2)],
])('[A2C-30] [A2C-27] arrange%s', (text, read) => {
  expect(readArrangement(text)).toEqual(read);
});

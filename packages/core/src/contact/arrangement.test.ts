import { expect, test } from 'vitest';
import { readArrangement } from './arrangement.ts';

test.each([
  [' dinner with @bob on Friday', { with: '@bob', intent: 'dinner on Friday' }],
  [' dinner on Friday with @bob', { with: '@bob', intent: 'dinner on Friday' }],
  [' dinner with @bob.', { with: '@bob', intent: 'dinner' }],
  [' a call with @Jörg-Peter tomorrow, urgent!', { with: '@Jörg-Peter', intent: 'a call tomorrow, urgent' }],
  [' lunch with agent:bob@relay.example next week', { with: 'agent:bob@relay.example', intent: 'lunch next week' }],
  [' dinner with bob', undefined],
  [' with @bob', undefined],
  [' dinner', undefined],
  [' dinner with @bob and @eve', undefined],
  [' dinner with @bob and with @eve', undefined],
  [` ${'x'.repeat(600)} with @bob`, undefined],
  [' `dinner`\n**now** with @bob', { with: '@bob', intent: 'dinner now' }],
])('[A2C-34] arrange%s', (text, read) => {
  expect(readArrangement(text)).toEqual(read);
});

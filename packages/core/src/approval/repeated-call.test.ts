import { expect, test } from 'vitest';
import { indexOfEarlierCall } from './repeated-call.ts';

const made = [
  { name: 'pay', input: '{"to":"ann","amount":5}' },
  { name: 'pay', input: '{"to":"bob","amount":5}' },
  { name: 'tell', input: 'null' },
];

test.each([
  [0, { name: 'pay', input: { amount: 5, to: 'ann' } }],
  [1, { name: 'pay', input: { to: 'bob', amount: 5 } }],
  [2, { name: 'tell' }],
  [2, { name: 'tell', input: null }],
  [-1, { name: 'pay', input: { to: 'ann', amount: '5' } }],
  [-1, { name: 'pay', input: { to: 'ann' } }],
  [-1, { name: 'tell', input: { to: 'ann', amount: 5 } }],
  [-1, { name: 'give', input: { to: 'ann', amount: 5 } }],
])('[SYS-12] it is call %i again: %j', (expected, call) => expect(indexOfEarlierCall(made, call)).toBe(expected));

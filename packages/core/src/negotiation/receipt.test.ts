import { expect, test } from 'vitest';
import { negotiatorsIn } from '../../test/kit/negotiators.ts';
import { isReceipt, receiptOf } from './receipt.ts';

/** As it is on the line. */
function packetOf(content: ReturnType<typeof receiptOf>): Record<string, unknown> {
  const both = negotiatorsIn('NEGOTIATING');
  both.decide('initiator', { kind: 'propose', content });
  return JSON.parse(both.line[0]!.text) as Record<string, unknown>;
}

const receipt = receiptOf(['phone'], ['age']);
const { proposal } = receipt;

test('[A2C-28] a receipt names the fields that were answered and declined', () => {
  expect(isReceipt(packetOf(receipt), ['phone', 'age', 'other'])).toBe(true);
  expect(isReceipt(packetOf(receiptOf([], [])), [])).toBe(true);
});

test.each([
  ['a field that nobody answered', receiptOf(['phone', 'debt'], [])],
  ['another summary', { ...receipt, proposal: { ...proposal, summary: 'Bob owes Ann 100' } }],
  ['a reasoning', { ...receipt, proposal: { ...proposal, reasoning: 'You agree' } }],
  ['alternatives', { ...receipt, proposal: { ...proposal, alternatives: [{ summary: 'You agree' }] } }],
  ['a sentence among the details', { ...receipt, proposal: { ...proposal, details: { answered: [], note: 'You agree' } } }],
  ['a sentence for a field', { ...receipt, proposal: { ...proposal, details: { answered: [{ phone: 'You agree' }] } } }],
  ['an action', { ...receipt, actions_on_confirm: [{ action: 'pay' }] }],
  ['an unknown member', { ...receipt, terms: 'You agree' }],
  ['no details', { ...receipt, proposal: { summary: proposal.summary } }],
])('[A2C-28] with %s a person is asked', (_, content) => {
  expect(isReceipt(packetOf(content as typeof receipt), ['phone', 'age'])).toBe(false);
});

import { expect, test } from 'vitest';
import { addTokens, assumedPrice, costOf, estimateOf, knownPrice, noTokens, type Price, type Tokens } from './model-cost.ts';

const price: Price = { input: 3, output: 15, cached: 0.3 };

test.each<[tokens: Tokens, price: Price, micros: number]>([
  [noTokens, price, 0],
  [{ input: 1_000_000, output: 0, cached: 0 }, price, 3_000_000],
  [{ input: 0, output: 1_000_000, cached: 0 }, price, 15_000_000],
  [{ input: 1000, output: 100, cached: 400 }, price, 1800 + 120 + 1500],
  // More cached than there was: no money is made of it.
  [{ input: 100, output: 0, cached: 400 }, price, 30],
  [{ input: 100, output: 0, cached: 100 }, { input: 3, output: 15 }, 300],
  [{ input: 1, output: 0, cached: 0 }, { input: 0.05, output: 0.4 }, 1],
  [{ input: 1000, output: 100, cached: 1000 }, assumedPrice, 1000 * 15 + 100 * 75],
])('[SYS-10] %j at %j costs %i millionths', (tokens, at, micros) => expect(costOf(tokens, at)).toBe(micros));

test('[SYS-10] what is set aside for a call is what its prompt and its longest answer cost', () => {
  expect(estimateOf(3000, 100, price)).toBe(1000 * 3 + 100 * 15);
});

test('tokens add up', () => {
  expect(addTokens({ input: 1, output: 2, cached: 3 }, { input: 10, output: 20, cached: 30 })).toEqual({
    input: 11,
    output: 22,
    cached: 33,
  });
});

test.each([
  ['claude-sonnet-4-5', 3],
  ['claude-sonnet-4-5-20250929', 3],
  ['gpt-5-2025-08-07', 1.25],
  ['gpt-5-mini', 0.25],
  ['gpt-5-max', undefined],
  ['constructor', undefined],
])('the price of %s is %s', (model, input) => expect(knownPrice(model)?.input).toBe(input));

test('[SYS-10] what nobody knows the price of costs more than anything that is known', () => {
  const known = ['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-opus-4-5', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano'].map((name) =>
    knownPrice(name)!,
  );
  for (const { input, output } of known) expect([assumedPrice.input > input, assumedPrice.output > output]).toEqual([true, true]);
});

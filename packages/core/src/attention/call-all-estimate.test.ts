import { expect, test } from 'vitest';
import { allCostText, estimateAll } from './call-all.ts';

test('[PAP-3] the estimate is a turn of each at its own average', () => {
  const cost = estimateAll([
    { turns: 10, micros: 100_000 },
    { turns: 1, micros: 30_000 },
  ]);
  expect(cost).toEqual({ agents: 2, known: 2, micros: 40_000 });
  expect(allCostText(cost)).toBe('Estimated cost: $0.04, from their past turns.');
});

test('[PAP-3] agents without a past count as the average of the others, and the text says how many are known', () => {
  const cost = estimateAll([
    { turns: 2, micros: 100_000 },
    { turns: 0, micros: 0 },
    { turns: 4, micros: 0 },
  ]);
  expect(cost).toEqual({ agents: 3, known: 2, micros: 75_000 });
  expect(allCostText(cost)).toBe('Estimated cost: $0.07, from past turns of 2 of them.');
});

test('[PAP-3] without any past turn there is no estimate, and it says so', () => {
  const cost = estimateAll([
    { turns: 0, micros: 0 },
    { turns: 0, micros: 0 },
  ]);
  expect(cost).toEqual({ agents: 2, known: 0, micros: null });
  expect(allCostText(cost)).toBe('There are no past turns to estimate the cost from.');
});

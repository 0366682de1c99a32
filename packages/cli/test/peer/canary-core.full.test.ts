import { advice, findGcore, isRequired } from '@parley/testkit/programs';
import { expect, test } from 'vitest';
import { carryCanaries } from './canary-kit.ts';

const gcore = findGcore();

test.for([
  ['nothing of a sealed packet is in a core dump of the relay', true],
  ['with the seal switched off the same search finds it there', false],
] as const)('[A2C-3] %s', { timeout: 180_000 }, async ([, isSealed], { skip }) => {
  skip(!gcore && !isRequired('gcore'), advice.gcore);
  expect(gcore, advice.gcore).toBeDefined();
  const relay = await carryCanaries({ isSealed });
  expect((await relay.hitsInMemory(gcore!.path)).length > 0).toBe(!isSealed);
});

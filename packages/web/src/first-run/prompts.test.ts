import { expect, test } from 'vitest';
import { firstPrompts } from './prompts.ts';

const agent = (handle: string, brain: 'builtin' | 'model' | 'remote') => ({ handle, brain });

test('a newcomer gets three prompts for built-in agents, the third a delegation', () => {
  expect(firstPrompts([agent('PLAN', 'model'), agent('ORAC', 'builtin'), agent('STEF', 'builtin')])).toEqual([
    '^ORAC what can you do?',
    '^ORAC who is here?',
    '^ORAC ask STEF what is going on',
  ]);
  expect(firstPrompts([agent('ORAC', 'builtin')])).toHaveLength(3);
});

test('other agents are asked what they can do; where there is none, nothing is offered', () => {
  expect(firstPrompts([agent('PLAN', 'model')])).toEqual(['^PLAN what can you do?']);
  expect(firstPrompts([])).toEqual([]);
});

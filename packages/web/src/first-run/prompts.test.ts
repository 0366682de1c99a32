import { expect, test } from 'vitest';
import { firstPrompts, firstToCall } from './prompts.ts';

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

test('a newcomer is led to a built-in agent that is ready, before one that sleeps or has another brain', () => {
  const here = (handle: string, brain: 'builtin' | 'model' | 'remote', status: 'idle' | 'sleeping' | 'offline' = 'idle') => ({
    handle,
    agent: { brain, status, waking: null },
  });
  const called = (...present: { handle: string; agent: ReturnType<typeof here>['agent'] | undefined }[]) => firstToCall(present)?.handle;
  expect(called(here('COUNT', 'remote'), here('ORAC', 'builtin', 'sleeping'), here('STEF', 'builtin'))).toBe('STEF');
  expect(called(here('COUNT', 'remote'), here('ORAC', 'builtin', 'sleeping'))).toBe('ORAC');
  expect(called({ handle: 'COUNT', agent: undefined }, here('PLAN', 'model'))).toBe('COUNT');
  expect(called()).toBeUndefined();
});

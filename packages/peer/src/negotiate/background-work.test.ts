import { expect, test } from 'vitest';
import { type Thought, Thoughts } from './background-work.ts';

const thought = (problem: string): Thought => ({ problem, leaks: [], regenerations: 0 });

test('[A2C-34] a thought is there once it is ready, for what it began from, and once', async () => {
  const looked: string[] = [];
  let found: Thought | undefined;
  const thoughts: Thoughts = new Thoughts(async (key) => {
    looked.push(key);
    found = thoughts.about(key, 'v1', () => Promise.reject(new Error('It began twice')));
  });
  const ready = Promise.withResolvers<Thought>();
  expect(thoughts.about('one', 'v1', () => ready.promise)).toBeUndefined();
  expect(thoughts.about('one', 'v1', () => Promise.reject(new Error('It began twice')))).toBeUndefined();
  ready.resolve(thought('a'));
  await thoughts.settled();
  expect([looked, found]).toEqual([['one'], thought('a')]);
});

test('[A2C-34] a thought about what has changed is given up, and another one begins', async () => {
  const looked: string[] = [];
  const thoughts = new Thoughts(async (key) => void looked.push(key));
  const signals: AbortSignal[] = [];
  const endless = (signal: AbortSignal): Promise<Thought> => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  };
  thoughts.about('one', 'v1', endless);
  thoughts.about('one', 'v2', async () => thought('b'));
  expect(signals[0]!.aborted).toBe(true);
  await thoughts.settled();
  // Nobody took it: the negotiation ended meanwhile.
  expect(thoughts.about('one', 'v3', endless)).toBeUndefined();
  thoughts.end();
  await thoughts.settled();
  expect([looked, signals.map(({ aborted }) => aborted)]).toEqual([['one'], [true, true]]);
});

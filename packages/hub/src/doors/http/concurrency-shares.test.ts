import { expect, test } from 'vitest';
import { OneAtATime, Shares } from './concurrency-shares.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('[SYS-14] one member has so many requests under way; the rest wait in order, and nobody waits for another member', async () => {
  const shares = new Shares(2);
  const began: string[] = [];
  const enter = async (key: string, name: string) => {
    const leave = await shares.enter(key);
    began.push(name);
    return leave;
  };
  const first = await enter('ann', 'a1');
  await enter('ann', 'a2');
  const third = enter('ann', 'a3');
  const fourth = enter('ann', 'a4');
  await enter('bob', 'b1');
  expect(began).toEqual(['a1', 'a2', 'b1']);
  first();
  // Ended twice, it gives its place away once.
  first();
  await settled();
  expect(began).toEqual(['a1', 'a2', 'b1', 'a3']);
  (await third)();
  await fourth;
  expect(began).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('[SYS-14] pieces of long work never run at the same time, and one that fails holds up none', async () => {
  const turns = new OneAtATime();
  let running = 0;
  const piece = async () => {
    running++;
    expect(running).toBe(1);
    await settled();
    running--;
  };
  const failed = turns.run(() => Promise.reject(new Error('no')));
  await Promise.all([turns.run(piece), turns.run(piece), turns.run(piece), expect(failed).rejects.toThrow('no')]);
});

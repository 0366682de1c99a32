import { expect, test } from 'vitest';
import { atOnceEach, atOnceInAll, Posts } from './post-limits.ts';

/** Work that ends when it is told to. */
function scene() {
  const posts = new Posts();
  const begun: { name: string; end: () => void }[] = [];
  const ended: Promise<void>[] = [];
  const send = (agentId: string, n: number): void => {
    ended.push(posts.run(agentId, () => new Promise((end) => begun.push({ name: `${agentId}${n}`, end }))));
  };
  const names = async () => (await Promise.resolve(), begun.map(({ name }) => name));
  return { posts, begun, ended, send, names };
}
const to = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

test('of one agent so many at once, the oldest first, and none is lost', async () => {
  const { begun, ended, send, names } = scene();
  for (const n of to(40)) send('a', n);
  expect(await names()).toEqual(to(atOnceEach).map((n) => `a${n}`));
  for (let at = 0; at < 40; at++) {
    begun[at]!.end();
    await ended[at];
    expect((await names()).length).toBe(Math.min(40, at + 1 + atOnceEach));
  }
  expect(await names()).toEqual(to(40).map((n) => `a${n}`));
});

test('in all so many at once; who has the fewest under way comes next', async () => {
  const { begun, ended, send, names } = scene();
  const slow = to(atOnceInAll / atOnceEach + 2).map((n) => `slow${n}-`);
  for (const agent of slow) for (const n of to(atOnceEach + 1)) send(agent, n);
  expect((await names()).length).toBe(atOnceInAll);
  for (const n of to(3)) send('quick', n);
  begun[0]!.end();
  await ended[0];
  // Those who had no turn at all come before more of those who have many.
  const after = (await names()).slice(atOnceInAll);
  expect(after).toEqual([`${slow.at(-2)}0`]);
  begun[1]!.end();
  begun[2]!.end();
  await ended[2];
  expect((await names()).slice(atOnceInAll)).toEqual([`${slow.at(-2)}0`, `${slow.at(-1)}0`, 'quick0']);
});

test('what fails gives its place back', async () => {
  const posts = new Posts();
  const fails = () => Promise.reject(new Error('gone'));
  for (const _ of to(atOnceInAll * 2)) await expect(posts.run('a', fails)).rejects.toThrow('gone');
});

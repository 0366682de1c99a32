import { expect, test } from 'vitest';
import { Shares, weightOf } from './concurrency-shares.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('[SYS-14] one member has so many requests under way; the rest wait in order, and nobody waits for another member', async () => {
  const shares = new Shares({ own: 2 });
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

const shared = 6;

test('[SYS-14] alone, one member has all shared places; others have their own besides, however long their request is', () => {
  const shares = new Shares({ own: 2, shared });
  const mine = Array.from({ length: shared }, () => shares.enter('ann'));
  expect(mine.map((one) => typeof one)).toEqual(mine.map(() => 'function'));
  expect(typeof shares.enter('ann')).toBe('object');
  for (const key of ['bob', 'cid', 'dan'])
    expect(
      [shares.enter(key), shares.enter(key)].map((one) => typeof one),
      key,
    ).toEqual(['function', 'function']);
  expect(typeof shares.enter('eve', 14)).toBe('function');
});

test('[SYS-14] beyond their own, a freed place goes to whom the fewest are used by, though another waited before', async () => {
  const shares = new Shares({ own: 1, shared: 4 });
  const [first] = Array.from({ length: 3 }, () => shares.enter('ann') as () => void);
  void shares.enter('bob');
  const began: string[] = [];
  for (const key of ['ann', 'bob']) void Promise.resolve(shares.enter(key)).then(() => began.push(key));
  first!();
  await settled();
  expect(began).toEqual(['bob']);
});

test('[SYS-14] a member gets places back one by one as others end, and order is kept', async () => {
  const shares = new Shares({ own: 2, shared });
  const others = ['bob', 'cid', 'dan'].flatMap((key) => [shares.enter(key), shares.enter(key)]) as (() => void)[];
  const began: number[] = [];
  const held = [1, 2, 3, 4].map(async (n) => {
    const leave = await shares.enter('ann');
    began.push(n);
    return leave;
  });
  await settled();
  expect(began).toEqual([1, 2]);
  for (const leave of others.slice(0, 3)) leave();
  await settled();
  expect(began).toEqual([1, 2, 3]);
  others[3]!();
  (await held[0]!)();
  await settled();
  expect(began).toEqual([1, 2, 3, 4]);
});

test('[SYS-14] a long request takes more places, and one that is longer than all of them still has its turn', async () => {
  const shares = new Shares({ own: 2, shared });
  expect(typeof shares.enter('ann', 20)).toBe('function');
  expect([typeof shares.enter('ann', 1), typeof shares.enter('bob', 1)]).toEqual(['object', 'function']);
  const lengths = [undefined, '0', '1', '1024', '1025', '900000'].map((length) => weightOf({ 'content-length': length }));
  expect([...lengths, weightOf({ 'transfer-encoding': 'chunked' })]).toEqual([1, 1, 1, 1, 2, 14, 14]);
});

test('[SYS-14] pieces of long work never run at the same time, and one that fails holds up none', async () => {
  const turns = new Shares({ own: 1 });
  let running = 0;
  const piece = async () => {
    running++;
    expect(running).toBe(1);
    await settled();
    running--;
  };
  const failed = turns.run('', () => Promise.reject(new Error('no')));
  await Promise.all([turns.run('', piece), turns.run('', piece), turns.run('', piece), expect(failed).rejects.toThrow('no')]);
});

test('a caller that stops waiting gives up its place in the line', async () => {
  const places = new Shares({ own: 2 });
  const abort = new AbortController();
  const [first, second] = [await places.enter('server'), await places.enter('server')];
  const began: string[] = [];
  const impatient = places.enter('server', 1, abort.signal);
  const patient = Promise.resolve(places.enter('server', 1, new AbortController().signal)).then((leave) => {
    began.push('patient');
    return leave;
  });
  abort.abort(new Error('no time'));
  await expect(impatient).rejects.toThrow('no time');
  expect(() => places.enter('server', 1, abort.signal)).toThrow('no time');
  expect(began).toEqual([]);
  first();
  (await patient)();
  // The place was given to nobody else: both are free again.
  second();
  expect([typeof places.enter('server'), typeof places.enter('server'), typeof places.enter('server')]).toEqual([
    'function',
    'function',
    'object',
  ]);
});

const [each, inAll] = [16, 128];

/** Work that ends when the test ends it. */
function scene() {
  const places = new Shares({ own: each, most: inAll });
  const begun: { name: string; end: () => void }[] = [];
  const ended: Promise<void>[] = [];
  const send = (agentId: string, n: number): void => {
    ended.push(places.run(agentId, () => new Promise((end) => begun.push({ name: `${agentId}${n}`, end }))));
  };
  const names = async () => (await settled(), begun.map(({ name }) => name));
  return { begun, ended, send, names };
}
const to = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

test('of one agent so many at once, the oldest first, and none is lost', async () => {
  const { begun, ended, send, names } = scene();
  for (const n of to(40)) send('a', n);
  expect(await names()).toEqual(to(each).map((n) => `a${n}`));
  for (let at = 0; at < 40; at++) {
    begun[at]!.end();
    await ended[at];
    expect((await names()).length).toBe(Math.min(40, at + 1 + each));
  }
  expect(await names()).toEqual(to(40).map((n) => `a${n}`));
});

test('in all so many at once; who has the fewest under way comes next', async () => {
  const { begun, ended, send, names } = scene();
  const slow = to(inAll / each + 2).map((n) => `slow${n}-`);
  for (const agent of slow) for (const n of to(each + 1)) send(agent, n);
  expect((await names()).length).toBe(inAll);
  for (const n of to(3)) send('quick', n);
  begun[0]!.end();
  await ended[0];
  // Those who had no turn at all come before more of those who have many.
  const after = (await names()).slice(inAll);
  expect(after).toEqual([`${slow.at(-2)}0`]);
  begun[1]!.end();
  begun[2]!.end();
  await ended[2];
  expect((await names()).slice(inAll)).toEqual([`${slow.at(-2)}0`, `${slow.at(-1)}0`, 'quick0']);
});

test('what fails gives its place back', async () => {
  const places = new Shares({ own: each, most: inAll });
  const fails = () => Promise.reject(new Error('gone'));
  for (const _ of to(inAll * 2)) await expect(places.run('a', fails)).rejects.toThrow('gone');
});

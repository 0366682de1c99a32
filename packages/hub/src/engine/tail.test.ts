import { expect, test } from 'vitest';
import type { PlacedFact, Store } from '../store/port.ts';
import { Tail } from './tail.ts';

const fact = (seq: number): PlacedFact => ({
  seq,
  epoch: 'e',
  at: 0,
  type: 'message.posted',
  actor_id: null,
  scope: 'conversation',
  conversation_id: 'c',
  member_id: null,
  subject_id: `m${seq}`,
  chain_id: null,
  data: '{}',
});

/** A store of which only the facts are there. */
async function follow(onError: (error: unknown) => void = (error) => expect.fail(String(error))) {
  const kept: PlacedFact[] = [];
  let commit: (own?: PlacedFact[]) => void = () => {};
  let reads = 0;
  const store = {
    head: () => Promise.resolve({ epoch: 'e', seq: 0 }),
    onCommit: (listener: typeof commit) => {
      commit = listener;
      return () => {};
    },
    intact: (_table: string, where: { seq: { '>': number } }, { limit }: { limit: number }) => {
      reads++;
      return Promise.resolve({ rows: kept.filter(({ seq }) => seq > where.seq['>']).slice(0, limit), damaged: [] });
    },
  };
  const tail = new Tail(store as unknown as Store, onError);
  const heard: number[] = [];
  tail.listen(async (facts) => {
    await Promise.resolve();
    heard.push(...facts.map(({ seq }) => seq));
  });
  await tail.start();
  const add = (...seqs: number[]): PlacedFact[] => {
    const facts = seqs.map(fact);
    kept.push(...facts);
    return facts;
  };
  const quiet = () => new Promise((resolve) => setImmediate(resolve));
  return {
    heard,
    tail,
    quiet,
    reads: () => reads,
    own: (...seqs: number[]) => commit(add(...seqs)),
    others: (...seqs: number[]) => void add(...seqs),
    notify: () => commit(),
  };
}

test('[SYS-4] facts of this hub are passed on in order without being read again', async () => {
  const { heard, own, quiet, reads } = await follow();
  own(1, 2);
  own(3);
  await quiet();
  own(4);
  await quiet();
  expect(heard).toEqual([1, 2, 3, 4]);
  expect(reads()).toBe(0);
});

test('[SYS-4] facts of another hub in between are read, and nothing is passed on twice', async () => {
  const { heard, own, others, notify, quiet } = await follow();
  own(1);
  others(2, 3);
  own(4);
  await quiet();
  expect(heard).toEqual([1, 2, 3, 4]);
  others(5);
  own(6);
  notify();
  notify();
  await quiet();
  others(7);
  notify();
  await quiet();
  expect(heard).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('[SYS-4] more than one batch is passed on whole', async () => {
  const { heard, own, others, notify, quiet } = await follow();
  const many = Array.from({ length: 1200 }, (_, i) => i + 1);
  own(...many);
  await quiet();
  expect(heard).toEqual(many);
  others(...many.map((seq) => seq + 1200));
  notify();
  await quiet();
  await quiet();
  expect(heard).toHaveLength(2400);
});

test('[SYS-4] a listener that fails for a moment gets the facts again, and the others do not', async () => {
  const errors: unknown[] = [];
  const { heard, own, tail } = await follow((error) => errors.push(error));
  const later: number[] = [];
  let failing = true;
  tail.listen((facts) => {
    if (failing) throw new Error('not now');
    later.push(...facts.map(({ seq }) => seq));
  });
  own(1, 2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  failing = false;
  own(3);
  await tail.settled();
  expect([heard, later]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect(errors).toHaveLength(1);
});

test('[SYS-4] a fact that a listener cannot take is reported and passed over; it hears all the others, and so does everyone', async () => {
  const errors: string[] = [];
  const { heard, own, others, tail } = await follow((error) => errors.push(String(error)));
  const picky: number[] = [];
  tail.listen((facts) => {
    if (facts.some(({ seq }) => seq === 2)) throw new Error('cannot take 2');
    picky.push(...facts.map(({ seq }) => seq));
  });
  own(1, 2, 3);
  others(4);
  await tail.settled();
  expect([heard, picky]).toEqual([
    [1, 2, 3, 4],
    [1, 3, 4],
  ]);
  expect(errors).toContain('Error: cannot take 2');
});

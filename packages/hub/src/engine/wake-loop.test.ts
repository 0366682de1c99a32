import { expect, test, vi } from 'vitest';
import type { PlacedFact, Store } from '../store/port.ts';
import { Indexer } from './indexer.ts';
import { Tail } from './tail.ts';

async function microtasks(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await Promise.resolve();
}
const fact = (seq: number): PlacedFact => ({ seq, epoch: 'e', type: 'demo.noted', subject_id: null }) as PlacedFact;
const onError = (error: unknown): never => expect.unreachable(String(error));
const depths = Array.from({ length: 16 }, (_, depth) => depth);

test.each(depths)('[SYS-4] a commit %i microtasks after the last fact was passed on is passed on by itself', async (depth) => {
  let commit: ((own?: PlacedFact[]) => void) | undefined;
  const store = { head: async () => ({ epoch: 'e', seq: 0 }), onCommit: (heard: typeof commit) => ((commit = heard), () => {}) };
  const tail = new Tail(store as unknown as Store, onError);
  await tail.start();
  const passed: number[] = [];
  let second: Promise<void> | undefined;
  tail.listen((facts) => {
    passed.push(...facts.map(({ seq }) => seq));
    second ??= microtasks(depth).then(() => commit!([fact(2)]));
  });
  commit!([fact(1)]);
  await second;
  await microtasks(50);
  expect(passed).toEqual([1, 2]);
});

test.each(depths)('[SYS-4] a message that comes %i microtasks after the index was written is found without another', async (depth) => {
  const stored = [fact(1)];
  let position = 0;
  let second: Promise<void> | undefined;
  const store = {
    search: {
      position: async () => position,
      write: async (_from: number, upTo: number) => {
        position = upTo;
        second ??= microtasks(depth).then(() => (stored.push(fact(2)), indexer.wake()));
      },
    },
    intact: async (_table: string, where: { seq: { '>': number } }) => ({
      rows: stored.filter(({ seq }) => seq > where.seq['>']),
      damaged: [],
    }),
  };
  const indexer: Indexer = new Indexer(store as unknown as Store, onError);
  vi.useFakeTimers();
  indexer.wake();
  await vi.advanceTimersByTimeAsync(200);
  await second;
  await vi.advanceTimersByTimeAsync(200);
  vi.useRealTimers();
  expect(position).toBe(2);
});

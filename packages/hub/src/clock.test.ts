import { expect, test } from 'vitest';
import { watchPauses } from './clock.ts';

test('[SYS-15] a hub that was paused for long says for how long when it wakes, and says nothing of short waits', () => {
  let now = 0;
  let due: (() => void) | undefined;
  const clock = {
    mono: () => now,
    after: (_ms: number, work: () => void) => {
      due = work;
      return () => (due = undefined);
    },
  };
  const told: number[] = [];
  const stop = watchPauses(clock, (ms) => told.push(ms));
  /** The timer fires so late. */
  const wake = (ms: number): void => {
    now += 1000 + ms;
    due?.();
  };
  for (const late of [0, 4, 9000]) wake(late);
  expect(told).toEqual([]);
  wake(95_000);
  wake(0);
  expect(told).toEqual([95_000]);
  stop();
  wake(95_000);
  expect(told).toHaveLength(1);
});

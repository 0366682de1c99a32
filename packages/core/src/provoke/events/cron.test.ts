import { Cron } from 'croner';
import { afterEach, expect, test, vi } from 'vitest';
import { Schedule } from '@parley/protocol';
import { compileSchedule, dueSlots } from './schedule.ts';

afterEach(() => void vi.restoreAllMocks());

const six = Date.UTC(2026, 2, 11, 6);

test('[SYS-4] a slot is worked out once: for all schedules that say the same, and however often it is asked for', () => {
  const compiled = Array.from({ length: 50 }, (_, i) => {
    const made = compileSchedule(
      Schedule.parse({ id: `s-${i}`, cron: '* * * * *', time_zone: 'America/St_Johns', emit: { type: 'a.b.struck' } }),
    );
    if (!made.ok) throw new Error(JSON.stringify(made.problems));
    return made.value;
  });
  const asks = [vi.spyOn(Cron.prototype, 'nextRun'), vi.spyOn(Cron.prototype, 'previousRuns')];
  for (const now of [six + 60_000, six + 60_007, six + 90_000])
    for (const one of compiled) expect(dueSlots(one, six, now)).toEqual({ fire: six + 60_000, again: six + 120_000 });
  expect(asks.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  for (const one of compiled) expect(dueSlots(one, six + 60_000, six + 120_000)).toEqual({ fire: six + 120_000, again: six + 180_000 });
  expect(asks.map(({ mock }) => mock.calls.length)).toEqual([2, 2]);
});

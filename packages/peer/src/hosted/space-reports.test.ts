import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SpaceStatus } from '@parley/protocol';
import { newSpace, type SpaceRecord } from '../spaces/space-records.ts';
import type { Spaces } from '../spaces/spaces.ts';
import { Reporter } from './reports.ts';
import { SpaceReports } from './space-reports.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ann = 'agent:ann@localhost';

function bench() {
  let record: SpaceRecord = { ...newSpace(ann, 'spc_trip01', 0), definition: { name: 'x', creator: ann, participants: {} } };
  const sent: SpaceStatus[] = [];
  const spaces = {
    find: async () => record,
    channelLine: async () =>
      record.channel ? { n: record.channel.last, text: 'A shared space has 1 change.', audience: '#trip' } : undefined,
    posted: async (_: string, n: number) => {
      record = { ...record, channel: { ...record.channel!, pending: record.channel!.pending.filter((one) => one.n > n) } };
    },
  } as unknown as Spaces;
  const reporter = new Reporter(new AbortController().signal, () => 0);
  const reports = new SpaceReports(reporter, () => spaces, 'mem_ann', { space: async (_, status) => void sent.push(status) });
  const change = (more: Partial<SpaceRecord>): void => {
    record = { ...record, moves: (record.moves ?? 0) + 1, ...more };
    reports.changed(record);
  };
  return { sent, change, see: () => (record = { ...record, seenNoticed: record.noticed ?? 0, changes: [] }) };
}

test('[A2C-33] a hundred changes in a minute are a few moves and one notice', async () => {
  const { sent, change } = bench();
  for (let n = 1; n <= 100; n += 1) {
    change({ noticed: n });
    await vi.advanceTimersByTimeAsync(500);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent.filter(({ noticed }) => noticed !== null)).toEqual([{ spaceId: 'spc_trip01', moves: 100, noticed: 100, line: null }]);
  expect(sent.length).toBeLessThan(60);
});

test('[A2C-33] a task for the person comes within seconds, also while another notice waits', async () => {
  const { sent, change } = bench();
  change({ noticed: 1 });
  const task = { field: 'next_actions', by: ann, at: 0, before: null, value: {}, reason: 'assigned' as const };
  change({ noticed: 2, changes: [task] });
  await vi.advanceTimersByTimeAsync(6000);
  expect(sent.at(-1)).toMatchObject({ noticed: 2 });
});

test('[A2C-33] a space that somebody shared is reported as new, within seconds', async () => {
  const { sent, change } = bench();
  change({ noticed: 1, isNew: true });
  await vi.advanceTimersByTimeAsync(6000);
  expect(sent.at(-1)).toEqual({ spaceId: 'spc_trip01', moves: 1, noticed: 1, isNew: true, line: null });
});

test('[A2C-33] what the person has seen meanwhile needs no notice, and changes of no concern make none', async () => {
  const { sent, change, see } = bench();
  change({});
  change({ noticed: 1 });
  see();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(sent.filter(({ noticed }) => noticed !== null)).toEqual([]);
  expect(sent.length).toBeGreaterThan(0);
});

test('[A2C-33] a line for the channel is sent with its number, and once', async () => {
  const { sent, change } = bench();
  const pending = [{ field: 'hotel', by: ann, before: null, value: 'Ritz', n: 1 }];
  change({ channel: { audience: '#trip', last: 1, pending } });
  await vi.advanceTimersByTimeAsync(61_000);
  expect(sent.filter(({ line }) => line !== null)).toEqual([
    { spaceId: 'spc_trip01', moves: 1, noticed: null, line: { n: 1, text: 'A shared space has 1 change.', audience: '#trip' } },
  ]);
});

// SQLite when the machine loses power, not only the process: the only fault that shows whether a commit was synced.
// Where no disk can be mounted to take the power from, the process is killed instead, and in place of a hub that does not
// sync stands one that answers before it commits. kill-database.full.test.ts shows an unsynced PostgreSQL to everyone.

import { ChildHub, frailDisk, type FrailDisk, type Ground, killUnderLoad, seedFromEnv } from '@parley/testkit';
import { expect, test } from 'vitest';

async function onFrailDisk<R>(work: (disk: FrailDisk, ground: Ground) => Promise<R>): Promise<R> {
  const disk = await frailDisk();
  try {
    return await work(disk, { engine: 'sqlite', dataDir: `${disk.path}/data`, databaseUrl: undefined, clear: async () => {} });
  } finally {
    await disk.remove();
  }
}

const powerLosses = (kills: number, synced: boolean) =>
  onFrailDisk(async (disk, ground) => {
    let losses = 0;
    const hub = synced ? {} : { acceptLoss: true, ...(disk.frail ? { sync: false } : { mutant: 'ack-early' as const }) };
    return killUnderLoad({
      ground,
      seed: seedFromEnv(),
      kills,
      progress: 5,
      ...hub,
      strike: async (hub, random, busy) => {
        hub.warm();
        await hub.up();
        // The people and channels are old; only what is said from here on can be lost.
        if (losses++ === 0) await disk.settle();
        await busy();
        await new Promise((resolve) => setTimeout(resolve, random.int(200)));
        await hub.kill();
        await disk.losePower();
        hub.begin();
      },
    });
  });

test('[SYS-4] SQLite: the power goes five times under load, and nothing acked is lost', async () => {
  const report = await powerLosses(5, true);
  expect(report.broken, `seed ${report.seed}`).toEqual([]);
}, 120_000);

test('[SYS-4] SQLite: with syncing switched off the same harness reports what was lost', async () => {
  const report = await powerLosses(1, false);
  expect(
    report.broken.map(({ rule }) => rule),
    `seed ${report.seed}`,
  ).toContain('lost');
}, 120_000);

test('[SYS-4] SQLite: the power goes right after the first ack of a new hub, which then starts again with its keys', async () => {
  await onFrailDisk(async (disk, ground) => {
    const hub = new ChildHub({ ground });
    try {
      const { operatorKey } = await hub.start();
      const ann = await hub.person('ann');
      await hub.kill();
      await disk.losePower();
      const again = await hub.start();
      expect(again.operatorKey).toBe(operatorKey);
      const { members } = await (await hub.operator()).call('listMembers', { query: {} });
      expect(members.filter(({ kind }) => kind === 'human').map(({ id }) => id)).toEqual([ann.id]);
    } finally {
      await hub.end();
    }
  });
}, 120_000);

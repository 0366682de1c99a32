// SQLite when the machine loses power, not only the process: the only fault that shows whether a commit was synced.
// It needs a loop device, and so root on Linux; kill-database.test.ts shows the same of PostgreSQL for everyone.

import { ChildHub, frailDisk, type FrailDisk, freshGround, killUnderLoad, seedFromEnv } from '@parley/testkit';
import { expect, test } from 'vitest';

const probe = await frailDisk();
await probe?.remove();

async function onFrailDisk<R>(work: (disk: FrailDisk, ground: Awaited<ReturnType<typeof freshGround>>) => Promise<R>): Promise<R> {
  const disk = (await frailDisk())!;
  try {
    return await work(disk, { engine: 'sqlite', dataDir: `${disk.path}/data`, databaseUrl: undefined, clear: async () => {} });
  } finally {
    await disk.remove();
  }
}

const powerLosses = (kills: number, sync: boolean) =>
  onFrailDisk(async (disk, ground) => {
    let losses = 0;
    return killUnderLoad({
      ground,
      seed: seedFromEnv(),
      kills,
      sync,
      progress: 5,
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

if (probe) {
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
        const { members } = await (await hub.operator()).call('listMembers', {});
        expect(members.map(({ id }) => id)).toEqual([ann.id]);
      } finally {
        await hub.end();
      }
    });
  }, 120_000);
} else {
  // Without a disk to take the power from, the nearest thing: a commit that is acked before it is written.
  test('[SYS-4] SQLite: acked before it is written, and the harness reports what was lost', async () => {
    const ground = await freshGround('sqlite');
    const report = await killUnderLoad({ ground, seed: seedFromEnv(), kills: 2, mutant: 'ack-early', progress: 8 });
    await ground.clear();
    expect(
      report.broken.map(({ rule }) => rule),
      `seed ${report.seed}`,
    ).toContain('lost');
  });
}

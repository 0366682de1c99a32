// PostgreSQL itself dies, the hub lives on. Nothing here is switched off by a mutant: `synchronous_commit` and `fsync`
// are real settings, and with them off the same harness must report a loss.

import { type Cluster, freshGround, killUnderLoad, seedFromEnv, startPostgres } from '@parley/testkit';
import pg from 'pg';
import { expect, test } from 'vitest';

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function crashes(cluster: Cluster, kills: number, acceptLoss = false) {
  const ground = await freshGround('postgres', { clusterUrl: cluster.url });
  let crashed = 0;
  return killUnderLoad({
    ground,
    acceptLoss,
    seed: seedFromEnv(),
    kills,
    strike: async (hub, random, busy) => {
      await hub.up();
      // So that with syncing off the people and channels are there to lose messages in.
      if (crashed === 0) await query(cluster.url, 'checkpoint');
      await busy();
      await new Promise((resolve) => setTimeout(resolve, random.int(400)));
      await cluster.crash(random.pick(['SIGKILL', 'SIGQUIT']));
      // The last time both die, as when the machine does: a hub that lives on may not rely on what it remembers.
      const both = ++crashed === kills;
      if (both) await hub.kill();
      await cluster.restart();
      if (both) hub.begin();
    },
  });
}

test('[SYS-4] the database is killed under a running hub, and nothing acked is lost or shown twice', async () => {
  const cluster = await startPostgres();
  try {
    const report = await crashes(cluster, 8);
    expect(report.broken, `seed ${report.seed}`).toEqual([]);
    expect(report.acked).toBeGreaterThan(20);
  } finally {
    await cluster.stop();
  }
}, 120_000);

test('[SYS-4] with syncing switched off the harness reports what was lost', async () => {
  // Nor is anything written early because much has come.
  const late = ['wal_writer_delay=10s', 'wal_writer_flush_after=1GB', 'wal_buffers=64MB'];
  const cluster = await startPostgres(['fsync=off', 'synchronous_commit=off', ...late]);
  try {
    const report = await crashes(cluster, 1, true);
    expect(
      report.broken.map(({ rule }) => rule),
      `seed ${report.seed}`,
    ).toContain('lost');
  } finally {
    await cluster.stop();
  }
}, 120_000);

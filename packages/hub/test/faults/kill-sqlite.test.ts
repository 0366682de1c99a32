import { freshGround, killUnderLoad, seedFromEnv } from '@parley/testkit';
import { expect, test } from 'vitest';

test('[SYS-4] SQLite: killed 100 times under load, every acked message is there once, in order, and nothing was shown twice', async () => {
  const ground = await freshGround('sqlite');
  try {
    const report = await killUnderLoad({ ground, seed: seedFromEnv(), kills: 100 });
    expect(report.broken, `seed ${report.seed}`).toEqual([]);
    expect(report.acked).toBeGreaterThan(100);
  } finally {
    await ground.clear();
  }
}, 600_000);

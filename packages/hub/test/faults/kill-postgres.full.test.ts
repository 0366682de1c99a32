import { freshGround, killUnderLoad, often, seedFromEnv } from '@parley/testkit';
import { expect, test } from 'vitest';

const kills = often(15, 100);
test(`[SYS-4] PostgreSQL: hub killed ${kills} times under load, every acked message is there once, in order, and nothing was shown twice`, async () => {
  const ground = await freshGround('postgres');
  try {
    const report = await killUnderLoad({ ground, seed: seedFromEnv(), kills });
    expect(report.broken, `seed ${report.seed}`).toEqual([]);
    expect(report.acked).toBeGreaterThan(kills);
  } finally {
    await ground.clear();
  }
}, 600_000);

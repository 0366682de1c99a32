// A hub on one engine is killed again and again under load; what must hold of it afterwards.

import { freshGround, type Ground, killUnderLoad, seedFromEnv } from '@parley/testkit';
import { expect } from 'vitest';

export async function killAndJudge(engine: Ground['engine'], kills: number): Promise<void> {
  const ground = await freshGround(engine);
  try {
    const report = await killUnderLoad({ ground, seed: seedFromEnv(), kills });
    expect(report.broken, `seed ${report.seed}`).toEqual([]);
    expect(report.acked).toBeGreaterThan(kills);
  } finally {
    await ground.clear();
  }
}

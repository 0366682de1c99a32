// A harness that cannot fail shows nothing. Each of these breaks one promise on purpose, in the hub or in a client, and
// the same verdict that finds nothing wrong with the real ones must name what is broken.

import { freshGround, type Ground, killUnderLoad, onBothEngines, seedFromEnv } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';

onBothEngines('the kill harness notices', (engine) => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await freshGround(engine);
  });
  afterEach(() => ground.clear());

  const rules = async (options: Partial<Parameters<typeof killUnderLoad>[0]>): Promise<string[]> => {
    const { broken } = await killUnderLoad({ ground, seed: seedFromEnv(), kills: 4, ...options });
    return [...new Set(broken.map(({ rule }) => rule))];
  };

  test('[SYS-4] a hub that answers before it commits', async () => {
    expect(await rules({ mutant: 'ack-early' })).toContain('lost');
  });

  test('[SYS-4] a writer that repeats itself without a key', async () => {
    expect(await rules({ mutant: 'slow-answer', habits: { noKeys: true } })).toContain('twice');
  });

  test('[SYS-4] no fault in the same hub when the writer uses keys', async () => {
    expect(await rules({ mutant: 'slow-answer' })).toEqual([]);
  });

  test('[SYS-4] a stream that resumes too early', async () => {
    expect(await rules({ habits: { resumeOff: -3 } })).toContain('stream twice');
  });

  test('[SYS-4] a stream that resumes too late', async () => {
    // After a pause in which others talked, three facts further on is three facts missed.
    expect(await rules({ kills: 6, habits: { resumeOff: 3 } })).toContain('stream gap');
  });
});

// A harness that cannot fail shows nothing. Each of these breaks one promise on purpose, in the hub or in a client, and
// the same verdict that finds nothing wrong with the real ones must name what is broken.

import { freshGround, killUnderLoad, onBothEngines, seedFromEnv } from '@parley/testkit';
import { expect, test } from 'vitest';

type Options = Partial<Parameters<typeof killUnderLoad>[0]>;

async function rules(engine: 'sqlite' | 'postgres', options: Options): Promise<string[]> {
  const ground = await freshGround(engine);
  try {
    const { broken } = await killUnderLoad({ ground, seed: seedFromEnv(), kills: 2, progress: 8, atStart: 0, ...options });
    return [...new Set(broken.map(({ rule }) => rule))];
  } finally {
    await ground.clear();
  }
}

onBothEngines('the kill harness notices', (engine) => {
  test('[SYS-4] a hub that answers before it commits', async () => {
    expect(await rules(engine, { mutant: 'ack-early' })).toContain('lost');
  });

  test('[SYS-4] a writer that repeats itself without a key, but not one that uses keys', async () => {
    expect(await rules(engine, { mutant: 'slow-answer', habits: { noKeys: true } })).toContain('twice');
    expect(await rules(engine, { mutant: 'slow-answer' })).toEqual([]);
  });
});

// What a stream does with a cursor is the same code on both engines.
test('[SYS-4] the kill harness notices a stream that resumes too early', async () => {
  expect(await rules('sqlite', { habits: { resumeOff: -3 } })).toContain('stream twice');
});

test('[SYS-4] the kill harness notices a stream that resumes too late', async () => {
  expect(await rules('sqlite', { habits: { resumeOff: 3 } })).toContain('stream gap');
});

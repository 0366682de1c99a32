// A harness that cannot fail shows nothing. Each of these breaks one promise on purpose, in the hub or in a client, and
// the same verdict that finds nothing wrong with the real ones must name what is broken.

import { freshGround, killUnderLoad, seedFromEnv, soaking } from '@parley/testkit';
import { describe, test } from 'vitest';

type Options = Partial<Parameters<typeof killUnderLoad>[0]>;

async function rules(engine: 'sqlite' | 'postgres', options: Options, seed = seedFromEnv()): Promise<string[]> {
  const ground = await freshGround(engine);
  try {
    const { broken } = await killUnderLoad({ ground, seed, kills: 2, progress: 8, atStart: 0, ...options });
    return [...new Set(broken.map(({ rule }) => rule))];
  } finally {
    await ground.clear();
  }
}

// Most of the time is spent waiting for hubs to start and answers not to come: they run beside each other.

/** Whether a kill falls into the moment that shows the fault is a matter of luck: it has several chances, each of another seed. */
async function noticed(rule: string, engine: 'sqlite' | 'postgres', options: Options): Promise<boolean> {
  const first = seedFromEnv();
  for (let chance = 0; chance < 8; chance++) if ((await rules(engine, options, first + chance)).includes(rule)) return true;
  return false;
}

// The harness is the same on both engines.
describe.each(soaking ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const))('the kill harness notices (%s)', (engine) => {
  test.concurrent('[SYS-4] a hub that answers before it commits', async ({ expect }) => {
    expect(await noticed('lost', engine, { mutant: 'ack-early' })).toBe(true);
  });

  test.concurrent('[SYS-4] a writer that repeats itself without a key, but not one that uses keys', async ({ expect }) => {
    expect(await noticed('twice', engine, { mutant: 'slow-answer', habits: { noKeys: true } })).toBe(true);
    expect(await rules(engine, { mutant: 'slow-answer' })).toEqual([]);
  });
});

// What a stream does with a cursor is the same code on both engines.
test.concurrent('[SYS-4] the kill harness notices a stream that resumes too early', async ({ expect }) => {
  expect(await noticed('stream twice', 'sqlite', { habits: { resumeOff: -3 } })).toBe(true);
});

test.concurrent('[SYS-4] the kill harness notices a stream that resumes too late', async ({ expect }) => {
  expect(await noticed('stream gap', 'sqlite', { habits: { resumeOff: 3 } })).toBe(true);
});

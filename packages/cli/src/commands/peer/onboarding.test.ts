import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askDefaults } from './onboarding.ts';

const [enter, down, cancel] = ['\r', '\u001B[B', '\u0003'];

const profile = { fields: {}, tiers: {}, overrides: {}, calendars: [] };

/** A person at a terminal: the keys they press at each question. */
async function asked(...keys: string[][]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const made: string[] = [];
  let at = 0;
  output.on('data', (chunk: Buffer) => {
    if (!/roughly based\?|ask for it, share:/.test(chunk.toString()) || chunk.toString().includes('◇')) return;
    for (const key of keys[at++] ?? []) setImmediate(() => input.write(key));
  });
  const done = await askDefaults(
    {
      setField: async ({ field, value }) => (made.push(`${field} = ${JSON.stringify(value)}`), profile),
      setTier: async ({ field, tier }) => (made.push(`${field}: ${tier}`), profile),
    },
    { input, output },
  );
  return { done, made };
}

test('[A2C-39] a new peer asks where its person is based, and the five defaults; Enter keeps each', async () => {
  expect(await asked(['Reading', enter], [enter], [enter], [down, enter], [enter], [enter])).toEqual({
    done: true,
    made: [
      'general_location_area = "Reading"',
      'time_windows: ask_first',
      'general_location_area: always_share',
      'dietary: never_share',
      'budget_range: ask_first',
      'specific_location: ask_first',
    ],
  });
});

test('[A2C-39] somebody who leaves keeps the defaults', async () => {
  expect(await asked([enter], [cancel])).toEqual({ done: false, made: [] });
});

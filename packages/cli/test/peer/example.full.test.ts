import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { environment } from '../kit.ts';

test.each([
  ['[A2C-3] [A2C-7] two people and a relay that restarts', 'sealed-line/sealed-line.ts', 'All of it arrived, once and in order.'],
  ['[A2C-15] [A2C-26] two people who arrange a dinner', 'negotiate/dinner.ts', 'The dinner is in both calendars.'],
  ['[A2C-10] two people at two relays', 'negotiate/two-relays.ts', 'each relay trusts the key of the other.'],
  ['[A2C-25] [A2C-21] a person who withholds two fields', 'negotiate/withheld.ts', 'No secret left.'],
  ['[A2C-18] two people without a common time', 'negotiate/no-overlap.ts', 'after the voyage.'],
  ['[A2C-29] an action that fails, and a time that works', 'negotiate/rollback.ts', 'One table is booked'],
  ['[A2C-33] a trip that two people plan offline', 'negotiate/trip-space.ts', 'Both have one plan.'],
  ['[A2C-27] [A2C-30] four people and a quorum', 'negotiate/game-night.ts', 'in the calendars of ann, bob and cem.'],
  ['[A2C-19] [A2C-20] a dinner that drifts to a game night', 'negotiate/game-night-fork.ts', 'Dinner and games are in both calendars.'],
  ['[A2C-32] fourteen meetings', 'negotiate/fourteen-meetings.ts', 'no prompt from the fourth meeting on.'],
  ['[A2C-40] two programs with a peer inside', 'peer-sdk/check.ts', 'Both programs agreed, without a hub.'],
])('%s', async (_, example, end) => {
  const path = fileURLToPath(new URL(`../../../../examples/${example}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', path], { env: environment() });
  expect(stdout).toContain(end);
});

// Provoking from the shell with no hub there: what comes is written down, and nothing is run before there is one.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLocally, readConfig } from '@parley/hub';
import type { Invocation } from '@parley/protocol';
import { freshGround, type Ground } from '@parley/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { me } from '../../src/hints.ts';
import { inProcess } from '../in-process.ts';

let ground: Ground;
const model = '{ provider: anthropic, model_id: claude-sonnet-4-5 }';
const parley = (...args: string[]) => inProcess(['--data', ground.dataDir, ...args]);
const file = (id: string, type: string, more: string) => `pap_version: "0.2"
trigger: { id: ${id}, match: { type: ${type} }, agent: ${id} }
agent: { id: ${id}, risk_level: low${more} }
`;

beforeAll(async () => {
  ground = await freshGround('sqlite');
  await (await openLocally(readConfig({ PARLEY_DATA: ground.dataDir, PARLEY_LOG: 'silent' }))).stop();
  await writeFile(join(ground.dataDir, 'triggers', 'price.yaml'), file('spike', 'a.price.rose', ''));
});
afterAll(() => ground.clear());

it('[PRV-4] as long as nobody has come in, emit says that files are not in force, and triggers what to do about it', async () => {
  const emitted = await parley('emit', 'a.price.rose');
  expect(emitted).toMatchObject({ code: 0, out: expect.stringContaining('No trigger waits for it.') });
  expect(emitted.err).toBe(`1 file in triggers/ is not in force: \`${me} triggers\` says why.\n`);
  expect((await parley('triggers')).err).toBe(
    'Not in force: triggers/price.yaml:2:1  trigger.owner: there is nobody yet who could answer for it: open the link that `npm start` printed first\n' +
      'Not in force: triggers/price.yaml:3:1  agent.owner: there is nobody yet who could answer for it: open the link that `npm start` printed first\n',
  );
});

it('[PRV-7] [SYS-10] what gets through is queued and says so; no command runs it, and nothing is spent on it', async () => {
  await parley('member', 'add', 'ann', '--role', 'owner');
  await writeFile(join(ground.dataDir, 'triggers', 'think.yaml'), file('think', 'a.price.fell', `, model: ${model}`));
  const queued = await parley('emit', 'a.price.rose');
  expect(queued).toMatchObject({ code: 0, err: '' });
  expect(queued.out).toMatch(/\nspike +queued +inv_\w+ +no hub is running\n$/);
  for (let i = 0; i < 3; i++) await parley('emit', 'a.price.fell');
  const { invocations } = JSON.parse((await parley('--json', 'invocations')).out) as { invocations: Invocation[] };
  expect(invocations.map(({ triggerId, state, attempt, startedAt, micros }) => [triggerId, state, attempt, startedAt, micros])).toEqual([
    ...Array.from({ length: 3 }, () => ['think', 'queued', 0, null, 0]),
    ['spike', 'queued', 0, null, 0],
  ]);
});

it('[SYS-11] a token that is set but empty makes nobody the operator', async () => {
  vi.stubEnv('PARLEY_TOKEN', '');
  try {
    for (const args of [['invocations'], ['token', 'create', '--member', 'ann', '--label', 'x'], ['inbox']])
      expect(await parley(...args)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/PARLEY_TOKEN is set, but empty[^]*unset PARLEY_TOKEN/) as string,
      });
    expect(await parley('--token', '', 'invocations')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--token is set, but empty'),
    });
  } finally {
    vi.unstubAllEnvs();
  }
});

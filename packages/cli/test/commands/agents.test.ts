import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentIdentity, IdentityVersion, Secret } from '@parley/protocol';
import { freshGround } from '@parley/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, parley } from '../in-process.ts';
import { type RunOptions, up } from '../kit.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
});
afterAll(() => rm(cwd, { recursive: true }));

it('[SYS-8] agents are written, had again, and kept in files, from the command line', { timeout: 120_000 }, async () => {
  const ground = await freshGround('sqlite');
  const here: RunOptions = { cwd, env: { PARLEY_DATA: ground.dataDir } };
  const hub = await up([], here);
  await ask(['member', 'add', 'ada', '--role', 'owner'], here);
  await ask(['member', 'add', 'BOT', '--agent'], here);
  await writeFile(join(cwd, 'bot.md'), 'Be brief.\n');

  const edit = ['agent', 'edit', '^BOT', '--instructions', 'bot.md', '--memory', '-', '--mode', 'strict', '--manager', '@ada'];
  const more = ['--tool', 'mcp://one', '--tool', 'mcp://two', '--brain', '{"kind":"builtin"}', '--name', 'Bot'];
  expect(await ask<AgentIdentity>([...edit, ...more], { ...here, input: 'likes tea\n' })).toMatchObject({
    version: 1,
    identity: {
      profile: { handle: 'BOT', displayName: 'Bot' },
      instructions: 'Be brief.\n',
      memory: 'likes tea',
      tools: ['mcp://one', 'mcp://two'],
      mode: 'strict',
      manager: 'ada',
      brain: { kind: 'builtin' },
    },
  });
  await ask(['agent', 'edit', 'BOT', '--no-tools', '--manager', 'none'], here);
  const shown = await parley(['agent', 'show', 'bot'], here);
  expect(shown.out).toContain('version 2, edited over the API\nmode strict, manager nobody\nbrain {"kind":"builtin"}\ntools: none (');
  const { versions } = await ask<{ versions: IdentityVersion[] }>(['agent', 'versions', 'BOT'], here);
  expect(versions.map(({ version, identity }) => [version, identity.manager])).toEqual([
    [2, null],
    [1, 'ada'],
  ]);
  expect((await parley(['agent', 'versions', 'BOT'], here)).out).toMatch(
    /operator or files +strict, builtin, 10 characters of instructions\n/,
  );
  expect((await ask<AgentIdentity>(['agent', 'restore', 'BOT', '1'], here)).identity.tools).toHaveLength(2);
  // What it was given and is not there is told.
  expect(await parley(['agent', 'show', 'NOPE'], here)).toMatchObject({
    code: 3,
    err: expect.stringMatching(/There is no agent \^NOPE\.\n.*`npx parley agent list` shows who there is\./),
  });
  expect((await parley(['agent', 'show', 'BOT'], here)).err).toMatch(
    /mcp:\/\/one: there is no tool server one\.[^]+mcp:\/\/two: there is no/,
  );
  expect(await parley(['agent', 'edit', 'BOT', '--brain', '{"kind":"steam"}'], here)).toMatchObject({
    code: 2,
    err: expect.stringContaining('brain.kind'),
  });

  // Whom its owner does not want it to hear.
  expect((await parley(['agent', 'block', 'BOT'], here)).out).toBe('Nobody is blocked for ^BOT.\n');
  await ask(['member', 'add', 'bob'], here);
  expect((await parley(['agent', 'block', 'BOT', '@bob'], here)).out).toContain('@bob is blocked for ^BOT.');
  expect((await parley(['agent', 'block', 'BOT'], here)).out).toMatch(/@bob/);
  expect((await parley(['agent', 'unblock', 'BOT', 'bob'], here)).out).toBe('@bob is no longer blocked for ^BOT.\n');
  expect(await parley(['agent', 'block', 'bob', 'ada'], here)).toMatchObject({ code: 2 });

  await ask(['member', 'add', 'PLAN', '--agent'], here);
  await ask(['agent', 'edit', 'PLAN', '--brain', '{"kind":"model","provider":"anthropic","model":"any"}'], here);
  expect((await parley(['agent', 'list'], here)).out).toMatch(/\^PLAN +PLAN +needs a key +model/);
  expect((await parley(['agent', 'show', 'PLAN'], here)).err).toContain('It needs the key anthropic. Set it with `npx parley secrets set');

  // A value is never on the line, where others could see it, nor in any answer.
  const kept = await parley(['secrets', 'set', 'anthropic'], { ...here, input: 'sk-secret\n' });
  expect(kept).toMatchObject({ code: 0, out: 'Kept anthropic.\n' });
  const listed = await ask<{ secrets: Secret[] }>(['secrets', 'list'], here);
  expect(listed.secrets).toMatchObject([{ name: 'anthropic', from: 'stored', problem: null }]);
  expect(JSON.stringify(listed)).not.toContain('sk-secret');
  await ask(['backup', 'one.parley'], here);
  await ask(['secrets', 'remove', 'anthropic'], here);
  await hub.stop('SIGTERM');

  const there: RunOptions = { cwd, env: { PARLEY_DATA: join(cwd, 'restored') } };
  expect((await parley(['restore', 'one.parley'], there)).err).toContain('1 secret came sealed');
  expect((await parley(['secrets', 'list'], there)).out).toContain('sealed with another secrets.key');

  // With no hub up, the files are looked at all the same.
  await mkdir(join(ground.dataDir, 'agents', 'FILED'), { recursive: true });
  await writeFile(join(ground.dataDir, 'agents', 'FILED', 'agent.yaml'), 'name: Filed\nmode: wild\n');
  const checked = await parley(['agent', 'check'], here);
  expect([checked.code, checked.out]).toEqual([74, expect.stringMatching(/^agents\/FILED\/agent\.yaml:2:1 {2}mode: .+\n$/)]);
  await ground.clear();
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolServer } from '@parley/protocol';
import { mcpStdio } from '@parley/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, parley } from '../in-process.ts';
import { type RunOptions, up } from '../kit.ts';

let here: RunOptions;
beforeAll(async () => {
  here = { cwd: await mkdtemp(join(tmpdir(), 'parley-cli-')) };
  await (await up([], here)).stop();
});
afterAll(() => rm(here.cwd, { recursive: true }));

// With no hub running: the same checks, in the command's own process.
it('adds a tool server, tests it and removes it', async () => {
  const { command, args } = mcpStdio();
  const added = await ask<ToolServer>(
    ['tools', 'add', 'files', '--write', 'liar', '--timeout', '20', '--env', 'A=b', '--', command, ...args],
    here,
  );
  expect(added).toMatchObject({ kind: 'stdio', config: { command, args, env: { A: 'b' }, timeoutMs: 20_000, tools: { liar: 'write' } } });
  expect(await parley(['tools', 'test', 'files'], here)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/liar +write +it says read +files__liar/),
    err: expect.stringContaining('unusable'),
  });
  expect(await parley(['tools', 'remove', 'files'], here)).toMatchObject({ code: 0, out: 'Removed files.\n' });
});

it('says what is wrong: in an option, in a server, in tools.yaml', async () => {
  expect(await parley(['tools', 'add', 'x', '--env', 'A', 'true'], here)).toMatchObject({
    code: 2,
    err: expect.stringContaining('name=value'),
  });
  expect(await parley(['tools', 'add', 'x', '--env', 'API_KEY=1', 'true'], here)).toMatchObject({
    code: 2,
    err: expect.stringContaining('secret:NAME'),
  });
  await ask(['tools', 'add', 'broken', '--', mcpStdio().command, ...mcpStdio('broken').args], here);
  expect(await parley(['tools', 'test', 'broken'], here)).toMatchObject({ code: 1, err: expect.stringContaining('cannot find my files') });
  await writeFile(join(here.cwd, '.parley', 'tools.yaml'), 'servers:\n  a:\n    comand: x\n');
  expect(await parley(['tools', 'list'], here)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/broken +stdio +idle +- +here/),
    // One mistake, one line: that there is no command is the same mistake.
    err: expect.stringMatching(/^tools\.yaml line 3: servers\.a\.comand is not a field here, but command is\.[^\n]*\n$/),
  });
});

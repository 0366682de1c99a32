import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freshGround } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { up } from './kit.ts';

test('[SYS-7] a hub beside the one with the peers says so once, as a warning', async () => {
  const ground = await freshGround('postgres');
  onTestFinished(() => ground.clear());
  const start = async (name: string) => {
    const data = join(ground.dataDir, name);
    const hub = await up([], {
      cwd: ground.dataDir,
      env: { PARLEY_DATA: data, PARLEY_DATABASE_URL: ground.databaseUrl, PARLEY_LOG: 'warn' },
    });
    return { hub, data };
  };
  const home = await start('home');
  await mkdir(join(ground.dataDir, 'beside'));
  for (const key of ['checksum.key', 'secrets.key']) await cp(join(home.data, key), join(ground.dataDir, 'beside', key));
  const beside = await start('beside');
  const { err } = await beside.hub.stop();
  const lines = err
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as { level: number; msg: string; err?: unknown }] : []));
  const warn = 40;
  expect(lines).toEqual([expect.objectContaining({ level: warn, msg: expect.stringContaining('parley up --peers-here') })]);
  expect(lines[0]).not.toHaveProperty('err');
  await home.hub.stop();
});

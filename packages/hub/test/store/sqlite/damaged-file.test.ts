import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, startHub } from '@parley/hub';
import { expect, onTestFinished, test } from 'vitest';
import { DataDirInUse } from '../../../src/data-dir.ts';

const start = (dataDir: string) => startHub(readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_LOG: 'silent' }), { sync: false });
const freshFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-damaged-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

test('[SYS-15] a database file that SQLite cannot read is named at the start, with the next command', async () => {
  const dataDir = await freshFolder();
  await (await start(dataDir)).stop();
  const path = join(dataDir, 'parley.db');
  const file = await open(path, 'r+');
  const { size } = await stat(path);
  // All but the first page, which says what the file is.
  await file.write(Buffer.alloc(size - 4096, 7), 0, size - 4096, 4096);
  await file.close();
  await expect(start(dataDir)).rejects.toThrow(
    new RegExp(`${path}: database disk image is malformed\\..*parley verify.*parley restore <file>`, 's'),
  );
  await writeFile(path, 'no database at all'.repeat(500));
  await expect(start(dataDir)).rejects.toThrow(new RegExp(`${path}: file is not a database\\..*parley verify.*parley restore <file>`, 's'));
});

test('[SYS-15] a lock that cannot be had for another reason than a hub is not called another hub', async () => {
  const dataDir = await freshFolder();
  const lock = join(dataDir, 'hub.lock');
  await writeFile(lock, 'no database at all'.repeat(500));
  const failed = await start(dataDir).catch((error: unknown) => error);
  expect(failed).not.toBeInstanceOf(DataDirInUse);
  expect((failed as Error).message).toMatch(new RegExp(`^${lock}: file is not a database\\.`));
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockPeerFolder } from '../store/sqlite/peer-folder.ts';
import { openPeer } from './index.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sdk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('[A2C-40] an empty folder needs a registration, and is unlocked again', async () => {
  const folder = await newFolder();
  await expect(openPeer({ folder })).rejects.toMatchObject({ code: 'no_identity', message: expect.stringContaining('`register`') });
  const register = { name: 'Not a name', relayUrl: 'ws://127.0.0.1:9', code: 'x' };
  await expect(openPeer({ folder, register })).rejects.toMatchObject({ code: 'bad_input', message: expect.stringContaining('Not a name') });
  const unlock = lockPeerFolder(folder);
  expect(unlock).toBeDefined();
  unlock!();
});

test('[A2C-40] a folder serves one process at a time', async () => {
  const folder = await newFolder();
  const unlock = lockPeerFolder(folder)!;
  await expect(openPeer({ folder })).rejects.toMatchObject({ code: 'occupied', message: expect.stringContaining(folder) });
  unlock();
});

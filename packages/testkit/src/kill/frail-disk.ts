// A disk whose power can be taken. A killed process loses nothing that it gave to the operating system, synced or not;
// so the data lies on a file system of its own, on a loop device, and "power loss" keeps only what had reached the
// device: the image file, without the pages that the file system above it still held in memory.
//
// Mounting takes root on Linux. Elsewhere the disk is a plain folder whose power cannot be taken, and says so.

import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const bytes = 64 * 1024 * 1024;

export interface FrailDisk {
  path: string;
  /** Whether `losePower` loses anything. */
  frail: boolean;
  /** Writes everything down, as a machine does that was left alone for a while. */
  settle(): Promise<void>;
  /** The user of the disk must be dead. Afterwards it holds what it held when the power went. */
  losePower(): Promise<void>;
  remove(): Promise<void>;
}

export async function frailDisk(): Promise<FrailDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-disk-'));
  const path = join(folder, 'mounted');
  let image = join(folder, 'image-0');
  let losses = 0;
  // Left to itself the file system writes its journal every five seconds; here nothing is written unless asked for.
  const mount = () => run('mount', ['-o', 'loop,commit=300', image, path]);
  try {
    await mkdir(path);
    await writeFile(image, '');
    await truncate(image, bytes);
    await run('mkfs.ext4', ['-q', '-F', image]);
    await mount();
  } catch {
    const nothing = async (): Promise<void> => {};
    return { path, frail: false, settle: nothing, losePower: nothing, remove: () => rm(folder, { recursive: true, force: true }) };
  }
  return {
    path,
    frail: true,
    settle: async () => void (await run('sync', ['-f', path])),
    losePower: async () => {
      const before = image;
      image = join(folder, `image-${++losses}`);
      await copyFile(before, image);
      await run('umount', [path]);
      await rm(before);
      await mount();
    },
    remove: async () => {
      await run('umount', [path]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

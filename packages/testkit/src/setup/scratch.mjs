// Where tests keep their files. Plain JavaScript, because vitest.config.ts asks it too.

import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/**
 * Memory where there is enough of it, else the disk: a hub makes a dozen files and waits for the disk several times before it
 * answers, and a PostgreSQL database is close to a thousand files, which a disk takes five times as long to copy and delete.
 */
export async function scratchFolder() {
  const memory = '/dev/shm';
  const enough = 2 * 2 ** 30;
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > enough ? memory : tmpdir();
}

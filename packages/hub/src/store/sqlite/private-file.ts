// The database file is its owner's alone, whatever the umask and the folder: SQLite gives the files beside it (`-wal`,
// `-shm`) the mode of the database itself.

import { chmod, open } from 'node:fs/promises';

const besides = ['', '-wal', '-shm', '-journal'];

export async function makePrivate(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  await file.close();
  for (const end of besides)
    await chmod(path + end, 0o600).catch((error: NodeJS.ErrnoException) => {
      // Another's file can be written and still not be changed by us (EPERM): it is served as it is.
      if (error.code !== 'ENOENT' && error.code !== 'EPERM') throw error;
    });
}

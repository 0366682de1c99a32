// The files that a data folder has held. Definitions go with their file, but only where the file was: rows that came from a
// backup, or from another hub, name files that were never here.

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const pathIn = (dataDir: string): string => join(dataDir, 'held-files.json');

export class HeldFiles {
  private readonly path: string;
  private held: ReadonlySet<string> | undefined;

  constructor(dataDir: string) {
    this.path = pathIn(dataDir);
  }

  async all(): Promise<ReadonlySet<string>> {
    this.held ??= new Set(
      await readFile(this.path, 'utf8').then(
        (text) => JSON.parse(text) as string[],
        () => [],
      ),
    );
    return this.held;
  }

  async keep(files: Iterable<string>): Promise<void> {
    const before = await this.all();
    const next = new Set([...files].toSorted());
    if (next.size === before.size && [...next].every((file) => before.has(file))) return;
    await writeFile(`${this.path}.new`, JSON.stringify([...next]), { mode: 0o600, flush: true });
    await rename(`${this.path}.new`, this.path);
    this.held = next;
  }
}

/** After a restore the rows say nothing of what was here before. */
export const forgetHeldFiles = (dataDir: string): Promise<void> => rm(pathIn(dataDir), { force: true });

// Folders of people who were erased. The effect of an erasure reaches only the hub that runs the peers; a copy may be at any.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { peersFolder } from '../data-dir.ts';
import type { Reader } from '../store/port.ts';
import { readColumns } from '../store/where.ts';

const memberIn = (folder: string): string => folder.replace(/\.sample$/, '');

/** Erased members of whom a folder is here. `among`: left out, all. */
export async function erasedHere(store: Reader, dataDir: string, among?: readonly string[]): Promise<string[]> {
  const folders = await readdir(join(dataDir, peersFolder)).catch(() => []);
  const held = [...new Set(folders.map(memberIn))].filter((id) => among?.includes(id) ?? true);
  if (held.length === 0) return [];
  const erased = await readColumns(store, 'members', ['id'], { id: held, status: 'erased' });
  return erased.map(({ id }) => id);
}

/** Where no service has them open. */
export async function removeFolders(dataDir: string, memberIds: readonly string[]): Promise<void> {
  for (const id of memberIds)
    for (const name of [id, `${id}.sample`]) await rm(join(dataDir, peersFolder, name), { recursive: true, force: true });
}

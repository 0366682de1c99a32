// A file that somebody keeps for the hub, as text. The file is not trusted: no link, no device, nothing without end.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const largest = 200_000;

export class Unreadable extends Error {}

/** `''` for one that may be missing, and is. */
export async function textOf(path: string, optional: boolean): Promise<string> {
  // Not through a link: it could lead out of the folder.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && optional) return undefined;
    if (error.code === 'ENOENT') throw new Unreadable('is missing');
    throw new Unreadable(error.code === 'ELOOP' ? 'must be a file itself, and no link to one' : `cannot be read (${error.code})`);
  });
  if (!file) return '';
  try {
    const about = await file.stat();
    if (!about.isFile()) throw new Unreadable('must be a file');
    if (about.size > largest) throw new Unreadable(`must be at most ${largest} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw new Unreadable('is not UTF-8');
    throw error;
  } finally {
    await file.close();
  }
}

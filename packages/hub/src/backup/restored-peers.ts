// Peers that a restore has put back: their backups wait in the data folder until the service of the peers has taken them.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MemberId } from '@parley/protocol';

export const restoredFolder = 'restored-peers';

/** Also without peers: the next start finds it, and makes this folder the home of all that come. */
export const makeRestoredFolder = async (dataDir: string): Promise<void> => {
  await mkdir(join(dataDir, restoredFolder), { recursive: true, mode: 0o700 });
};

export async function keepRestoredPeer(dataDir: string, memberId: string, text: string): Promise<void> {
  if (!MemberId.safeParse(memberId).success) throw new Error(`${JSON.stringify(memberId)} is no member`);
  await makeRestoredFolder(dataDir);
  await writeFile(join(dataDir, restoredFolder, memberId), text, { mode: 0o600 });
}

/** Each is removed once it was taken. Returns those that could not be: they stay for the next start. */
export async function takeRestoredPeers(dataDir: string, take: (memberId: string, text: string) => Promise<void>): Promise<string[]> {
  const folder = join(dataDir, restoredFolder);
  const left: string[] = [];
  for (const memberId of await readdir(folder).catch(() => [])) {
    try {
      await take(memberId, await readFile(join(folder, memberId), 'utf8'));
      await rm(join(folder, memberId));
    } catch {
      left.push(memberId);
    }
  }
  if (left.length === 0) await rm(folder, { recursive: true, force: true });
  return left;
}

export const forgetRestoredPeers = (dataDir: string): Promise<void> => rm(join(dataDir, restoredFolder), { recursive: true, force: true });

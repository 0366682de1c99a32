// Peers that a restore has put back: their backups wait in the data folder until the service of the peers has taken them.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MemberId } from '@parley/protocol';

const folderName = 'restored-peers';

export async function keepRestoredPeer(dataDir: string, memberId: string, text: string): Promise<void> {
  if (!MemberId.safeParse(memberId).success) throw new Error(`${JSON.stringify(memberId)} is no member`);
  await mkdir(join(dataDir, folderName), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, folderName, memberId), text, { mode: 0o600 });
}

/** Each is removed once it was taken. */
export async function takeRestoredPeers(dataDir: string, take: (memberId: string, text: string) => Promise<void>): Promise<void> {
  const folder = join(dataDir, folderName);
  for (const memberId of await readdir(folder).catch(() => [])) {
    await take(memberId, await readFile(join(folder, memberId), 'utf8'));
    await rm(join(folder, memberId));
  }
  await rm(folder, { recursive: true, force: true });
}

export const forgetRestoredPeers = (dataDir: string): Promise<void> => rm(join(dataDir, folderName), { recursive: true, force: true });

// Whether this hub runs the people's peers. A peer is a folder of this machine: at two hubs it would be two identities. Step 16
// deletes this.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { restoredFolder } from '../backup/backed-up-files.ts';
import { type DataDir, peersFolder } from '../data-dir.ts';
import { platform } from '../engine/command.ts';
import { contested } from '../engine/commands/peers/home.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store, Reader } from '../store/port.ts';
import { readColumns } from '../store/where.ts';

/** Why this hub runs no peers, and what its operator can do about it. */
export type PeersAway = { why: string; remedy: string } | undefined;

const elsewhere: PeersAway = {
  why: 'The people’s peers live in the data folder of another hub of this database.',
  remedy:
    'Start that hub, or move them here: stop it, copy its folders peers and relay into this data folder, and start this hub with `parley up --peers-here`.',
};

const twoHomes: PeersAway = {
  why: 'Two data folders hold peers of this database, so that no hub runs any.',
  remedy:
    'Choose one: start the hub with the right folder once with `parley up --peers-here`. The peers in the other folder stay there, unused.',
};

/** The folder that the database names. */
export const awayAt = (home: string, { operatorKey }: DataDir): PeersAway =>
  home === folderId({ operatorKey }) ? undefined : home === contested ? twoHomes : elsewhere;

/** No backup contains the operator's key, so a restored folder has another ID. */
const folderId = ({ operatorKey }: Pick<DataDir, 'operatorKey'>): string =>
  createHash('sha256').update(`folder ${operatorKey}`).digest('hex').slice(0, 32);

export async function claimPeers(
  { store, engine, dataDir }: { store: Store; engine: Engine; dataDir: DataDir },
  isMoved: boolean,
): Promise<PeersAway> {
  // A database in a file belongs to the folder it is in.
  if (store.engine === 'sqlite') return undefined;
  const folders = await readdir(join(dataDir.path, peersFolder)).catch(() => []);
  const [someone] = await readColumns(store, 'peers', ['member_id'], {}, { limit: 1 });
  const [held] = await readColumns(store, 'peers', ['member_id'], { member_id: folders }, { limit: 1 });
  // A restore brought the peers with it.
  const move = isMoved || existsSync(join(dataDir.path, restoredFolder));
  const folder = folderId(dataDir);
  const here = { holds: held !== undefined, isFirst: someone === undefined };
  const { home } = await engine.submit({ type: 'peers.claim_home', by: platform, folder, ...here, move });
  return awayAt(home === 'here' ? folder : home, dataDir);
}

// Folders of people who were erased. The effect of an erasure reaches only the hub that runs the peers; a copy may be at any.

const memberIn = (folder: string): string => folder.replace(/\.sample$/, '');

/** Erased members of whom a folder is here. `among`: left out, all. */
export async function erasedHere(store: Reader, dataDir: string, among?: readonly string[]): Promise<string[]> {
  const folders = await readdir(join(dataDir, peersFolder)).catch(() => []);
  const folderMembers = [...new Set(folders.map(memberIn))].filter((id) => among?.includes(id) ?? true);
  if (folderMembers.length === 0) return [];
  const erased = await readColumns(store, 'members', ['id'], { id: folderMembers, status: 'erased' });
  return erased.map(({ id }) => id);
}

/** Removes folders that no service has open. */
export async function removeFolders(dataDir: string, memberIds: readonly string[]): Promise<void> {
  for (const id of memberIds)
    for (const name of [id, `${id}.sample`]) await rm(join(dataDir, peersFolder, name), { recursive: true, force: true });
}

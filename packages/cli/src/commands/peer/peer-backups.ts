// A peer's own backup: one encrypted file, and its key beside it where the peer has no passphrase.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { backupOpensBy, type BackupSecret, newBackupKey, openBackup, restoreBackup } from '@parley/peer';
import { openPeerFolder } from '@parley/peer/node';
import { CliError } from '../../exit.ts';
import { me } from '../../hints.ts';
import { inFolder, mustHoldPeer, passphraseOf, peerFailure, type PeerCommandContext, withFolder, withPeer } from './peer-access.ts';

const keyPath = (file: string): string => `${file}.key`;

export async function backup(context: PeerCommandContext, file: string): Promise<void> {
  const passphrase = passphraseOf(context);
  const key = passphrase === undefined ? newBackupKey() : undefined;
  await mustUnlock(context);
  const text = await withPeer(context, (commands) => commands.backup(key === undefined ? { passphrase: passphrase! } : { key }));
  const path = resolve(file);
  await writeNew(path, text);
  if (key !== undefined)
    await writeNew(keyPath(path), `${key}\n`).catch(async (error: Error) => {
      // Without its key it is of no use.
      await rm(path);
      throw error;
    });
  const opens = key === undefined ? 'The passphrase of the peer opens it.' : `The key in ${keyPath(path)} opens it: keep the two apart.`;
  context.output.result(
    { file: path, key: key === undefined ? null : keyPath(path) },
    `Backed up identity, peers and history to ${path}. ${opens}`,
  );
}

/** A running peer would seal the backup under any passphrase, also under a mistyped one. */
async function mustUnlock(context: PeerCommandContext): Promise<void> {
  const folder = mustHoldPeer(context);
  try {
    await (await openPeerFolder(folder, passphraseOf(context))).close();
  } catch (error) {
    throw peerFailure(error as Error, context);
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new CliError('failed', `There is a file at ${path}.`, { code: 'occupied', hint: 'Choose another name.', cause: error });
  });
}

export async function restore(context: PeerCommandContext, file: string): Promise<void> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8');
  try {
    const secret = await secretFor(context, path, backupOpensBy(text));
    // Opened first, so that a wrong secret leaves no folder behind.
    const content = await openBackup(text, secret);
    await withFolder(context, ({ store }) => restoreBackup(store, content));
    const restored = { address: content.address, madeAt: content.madeAt };
    context.output.result(restored, `Restored ${restored.address} as it was at ${restored.madeAt}.`);
    context.output.note(
      `  This device takes over when it connects: ${me} peer run${inFolder(context)}\n  The other one is read-only then.`,
    );
  } catch (error) {
    throw peerFailure(error as Error, context);
  }
}

async function secretFor(context: PeerCommandContext, path: string, by: 'passphrase' | 'file'): Promise<BackupSecret> {
  if (by === 'passphrase') {
    const passphrase = passphraseOf(context);
    if (passphrase === undefined) throw new CliError('usage', `${path} needs the passphrase of its peer. Set PARLEY_PEER_PASSPHRASE.`);
    return { passphrase };
  }
  const key = await readFile(keyPath(path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new CliError('not_found', `${path} needs its key: put ${keyPath(path)} beside it.`, { code: 'nothing_there', cause: error });
  });
  return { key: key.trim() };
}

// A peer's own backup: one encrypted file.

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { newBackupCode, restoreBackup } from '@parley/a2acp';
import { CliError } from '../exit.ts';
import { me } from '../program-name.ts';
import { inFolder, passphraseOf, peerFailure, type PeerCommandContext, withFolder, withPeer } from './peer-access.ts';

export async function backup(context: PeerCommandContext, file: string): Promise<void> {
  const code = passphraseOf(context) === undefined ? newBackupCode() : null;
  const text = await withPeer(context, (commands) => commands.backup(code ?? passphraseOf(context)!));
  const path = resolve(file);
  await writeFile(path, text, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new CliError('failed', `There is a file at ${path}.`, { code: 'occupied', hint: 'Choose another name.', cause: error });
  });
  const opens = code === null ? 'The passphrase of the peer opens it.' : `Only this code opens it, and it is shown only now:\n${code}`;
  context.output.result({ file: path, ...(code === null ? {} : { code }) }, `Backed up identity, peers and history to ${path}. ${opens}`);
}

export async function restore(context: PeerCommandContext, file: string, options: { code?: string }): Promise<void> {
  const secret = options.code ?? passphraseOf(context);
  if (secret === undefined)
    throw new CliError('usage', 'A backup is opened by a code or a passphrase.', { hint: 'Give --code, or set PARLEY_PEER_PASSPHRASE.' });
  const text = await readFile(file, 'utf8');
  const restored = await withFolder(context, ({ store }) => restoreBackup(store, text, secret)).catch((error: Error) => {
    throw peerFailure(error, context);
  });
  context.output.result(restored, `Restored ${restored.address} as it was at ${restored.madeAt}.`);
  context.output.note(`  This device takes over when it connects: ${me} peer run${inFolder(context)}\n  The other one is read-only then.`);
}

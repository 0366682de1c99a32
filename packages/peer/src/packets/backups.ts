// A peer's backup: identity, peers, negotiations and history, sealed under a passphrase or a key that lies in a file of its own. Sessions and key packages are never in it,
// so a restored device begins new sessions and no key is used twice (A2C-8).

import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from '@parley/protocol/relay';
import { z } from 'zod';
import { PeerCallError } from '@parley/protocol';
import { closeBox, erase, openBox, randomBytes } from '../seal/sodium.ts';
import { type PeerStore, type RecordChange, type RecordKind, recordKinds } from '../store/port.ts';
import { LockedError, type Unlock, unwrapKey, wrapKey, type WrappedKey } from '../store/vault.ts';
import { withEpochAbove, withSummaryDue } from './devices.ts';
import { putDraft } from './drafts.ts';
import type { LocalPeer } from './local-peer.ts';
import { allRecords, type PacketRecord, type RemotePeer, type SelfRecord } from './peer-records.ts';

/** Of the earlier device alone: its keys, what is sealed with them, and marks against repeats. */
const ofOneDevice: readonly RecordKind[] = ['session', 'package', 'outbox', 'seen'];
const kinds = recordKinds.filter((kind) => !ofOneDevice.includes(kind));
const format = 'a2acp-backup/1';
const purpose = utf8(format);

const BackupFile = z.object({
  format: z.literal(format),
  made_at: z.string(),
  wrapped_key: z.discriminatedUnion('by', [
    z.object({ v: z.literal(1), by: z.literal('passphrase'), salt: z.string(), cost: z.int().max(2 ** 20), box: z.string() }),
    z.object({ v: z.literal(1), by: z.literal('file'), box: z.string() }),
  ]),
  box: z.string(),
});

/** What opens a backup. The key is 32 bytes as base64url. */
export type BackupSecret = { passphrase: string } | { key: string };
const unlockOf = (secret: BackupSecret): Unlock => ('key' in secret ? { fileKey: fromBase64Url(secret.key) } : secret);

type BackupRecord = [kind: RecordKind, key: string, value: unknown];

/** `cost` is scrypt's, for tests. */
export function writeBackup(peer: LocalPeer, secret: BackupSecret, cost?: number): Promise<string> {
  return peer.inTurn(async () => {
    const { store, now } = peer.parts;
    const records: BackupRecord[] = [];
    for (const kind of kinds) for await (const { key, value } of allRecords(store, kind)) records.push([kind, key, value]);
    const dataKey = randomBytes(32);
    const wrapped: WrappedKey = await wrapKey(dataKey, unlockOf(secret), cost);
    const box = toBase64Url(closeBox(dataKey, utf8(JSON.stringify(records)), purpose));
    erase(dataKey);
    return `${JSON.stringify({ format, made_at: new Date(now()).toISOString(), wrapped_key: wrapped, box })}\n`;
  });
}

export interface BackupContent {
  address: string;
  madeAt: string;
  changes: RecordChange[];
}

/** What a restore will put, one device epoch higher. */
export async function openBackup(text: string, secret: BackupSecret): Promise<BackupContent> {
  const file = BackupFile.safeParse(parsed(text));
  if (!file.success) throw new PeerCallError('not_a_backup', 'The file is no backup of a peer.');
  const records = await openRecords(file.data, secret);
  const changes = records.flatMap(([kind, key, value]): RecordChange[] => [
    { put: kind, key, value: renewed(kind, value) },
    // Outbox rows are sealed for sessions of the earlier device, so they are made again.
    ...(kind === 'packet' && (value as PacketRecord).state === 'waiting' ? [putDraft(value as PacketRecord, key)] : []),
  ]);
  const self = records.find(([kind]) => kind === 'identity')![2] as SelfRecord;
  return { address: self.address!, madeAt: file.data.made_at, changes };
}

/** Only into an empty store. */
export async function restoreBackup(store: PeerStore, { changes }: BackupContent): Promise<void> {
  if (await store.get('identity', 'self'))
    throw new PeerCallError('occupied', 'This folder holds a peer already. Restore into an empty one.');
  await store.commit(changes);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function openRecords({ wrapped_key: wrapped, box }: z.output<typeof BackupFile>, secret: BackupSecret): Promise<BackupRecord[]> {
  let dataKey: Uint8Array;
  try {
    dataKey = await unwrapKey(wrapped, unlockOf(secret));
  } catch (error) {
    if (!(error instanceof LockedError)) throw new PeerCallError('not_a_backup', 'The backup is damaged.', { cause: error });
    const needed =
      wrapped.by === 'passphrase'
        ? 'PARLEY_PEER_PASSPHRASE is not the passphrase of this backup'
        : 'The key beside the backup is not its own';
    throw new PeerCallError('wrong_passphrase', `${needed}.`, { cause: error });
  }
  try {
    return JSON.parse(fromUtf8(openBox(dataKey, fromBase64Url(box), purpose))) as BackupRecord[];
  } catch (error) {
    throw new PeerCallError('not_a_backup', 'The backup is damaged.', { cause: error });
  } finally {
    erase(dataKey);
  }
}

function renewed(kind: RecordKind, value: unknown): unknown {
  if (kind === 'peer') return withSummaryDue(value as RemotePeer);
  if (kind !== 'identity') return value;
  const self = value as SelfRecord;
  return { ...withEpochAbove(self, self.displacedBy?.counter ?? 0), takeover: 'restored' };
}

/** For a peer without a passphrase. */
export const newBackupKey = (): string => toBase64Url(randomBytes(32));

/** Whether a passphrase opens the backup, or the key in a file beside it. */
export function backupOpensBy(text: string): 'passphrase' | 'file' {
  const file = BackupFile.safeParse(parsed(text));
  if (!file.success) throw new PeerCallError('not_a_backup', 'The file is no backup of a peer.');
  return file.data.wrapped_key.by;
}

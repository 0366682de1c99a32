// A peer's backup: identity, peers, negotiations and history, sealed under a passphrase. Sessions and key packages are never in it,
// so a restored device begins new sessions and no key is used twice (A2C-8).

import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from '@parley/protocol/relay';
import { z } from 'zod';
import { closeBox, erase, openBox, randomBytes } from '../seal/sodium.ts';
import type { PeerStore, RecordChange, RecordKind } from '../store/port.ts';
import { LockedError, unwrapKey, wrapKey, type WrappedKey } from '../store/vault.ts';
import { withEpochAbove, withSummaryDue } from './devices.ts';
import { PeerError } from './errors.ts';
import type { Peer } from './peer.ts';
import { allRecords, type PeerRecord, type SelfRecord } from './records.ts';

const kinds: readonly RecordKind[] = ['identity', 'peer', 'negotiation', 'packet', 'setting'];
const format = 'a2acp-backup/1';
const purpose = utf8(format);

const BackupFile = z.object({
  format: z.literal(format),
  made_at: z.string(),
  wrapped_key: z.object({ v: z.literal(1), by: z.literal('passphrase'), salt: z.string(), cost: z.int().max(2 ** 20), box: z.string() }),
  box: z.string(),
});

type BackupRecord = [kind: RecordKind, key: string, value: unknown];

/** `cost` is scrypt's, for tests. */
export function writeBackup(peer: Peer, passphrase: string, cost?: number): Promise<string> {
  return peer.inTurn(async () => {
    const { store, now } = peer.parts;
    const records: BackupRecord[] = [];
    for (const kind of kinds) for await (const { key, value } of allRecords(store, kind)) records.push([kind, key, value]);
    const dataKey = randomBytes(32);
    const wrapped: WrappedKey = await wrapKey(dataKey, { passphrase }, cost);
    const box = toBase64Url(closeBox(dataKey, utf8(JSON.stringify(records)), purpose));
    erase(dataKey);
    return `${JSON.stringify({ format, made_at: new Date(now()).toISOString(), wrapped_key: wrapped, box })}\n`;
  });
}

/** Puts the backup into an empty store, one device epoch higher. Says whose it is and when it was made. */
export async function restoreBackup(store: PeerStore, text: string, passphrase: string): Promise<{ address: string; madeAt: string }> {
  if (await store.get('identity', 'self')) throw new PeerError('occupied', 'This folder holds a peer already. Restore into an empty one.');
  const file = BackupFile.safeParse(parsed(text));
  if (!file.success) throw new PeerError('not_a_backup', 'The file is no backup of a peer.');
  const records = await openRecords(file.data, passphrase);
  const changes = records.map(([kind, key, value]): RecordChange => ({ put: kind, key, value: renewed(kind, value) }));
  await store.commit(changes);
  const self = records.find(([kind]) => kind === 'identity')![2] as SelfRecord;
  return { address: self.address!, madeAt: file.data.made_at };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function openRecords({ wrapped_key: wrapped, box }: z.output<typeof BackupFile>, passphrase: string): Promise<BackupRecord[]> {
  let dataKey: Uint8Array;
  try {
    dataKey = await unwrapKey(wrapped, { passphrase });
  } catch (error) {
    if (error instanceof LockedError)
      throw new PeerError('wrong_passphrase', 'The passphrase or code is not the one of this backup.', { cause: error });
    throw new PeerError('not_a_backup', 'The backup is damaged.', { cause: error });
  }
  try {
    return JSON.parse(fromUtf8(openBox(dataKey, fromBase64Url(box), purpose))) as BackupRecord[];
  } catch (error) {
    throw new PeerError('not_a_backup', 'The backup is damaged.', { cause: error });
  } finally {
    erase(dataKey);
  }
}

function renewed(kind: RecordKind, value: unknown): unknown {
  if (kind === 'peer') return withSummaryDue(value as PeerRecord);
  if (kind !== 'identity') return value;
  const self = value as SelfRecord;
  return { ...withEpochAbove(self, self.displacedBy?.counter ?? 0), isRestored: true };
}

/** For a peer without a passphrase: a code that nobody has to invent. */
export const newBackupCode = (): string => toBase64Url(randomBytes(18));

// Directory entries: this peer's own, with its key packages, and other people's, which only their owner's signature makes true.

import {
  canonicalJson,
  DirectoryStatement,
  fromBase64Url,
  type RelayMessage,
  statementToSign,
  toBase64Url,
  versionsPerEpoch,
} from '@parley/protocol/relay';
import { PeerCallError } from '@parley/protocol';
import type { RelayConnection } from '../link/relay-connection.ts';
import { offer } from '../seal/key-packages.ts';
import { signBytes, verifies } from '../seal/sodium.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import {
  allRecords,
  identityOf,
  packBytes,
  type PackageRecord,
  type RemotePeer,
  putSelf,
  type SelfRecord,
  valuesOf,
} from './peer-records.ts';

const day = 86_400_000;
const oneTimeDays = 40;
const lastResortDays = 90;
/** A statement is renewed, and with it every package, while the one-time ones are still valid. */
const renewAfterMs = 20 * day;
const fewestPackages = 10;
const mostPackages = 30;
/** Somebody who drains them gets no more; others begin with the one of last resort then. */
const mostPackagesADay = 60;
/** A Welcome may wait at the relay as long after its package has expired. */
const keptAfterMs = 32 * day;

/** A time to come was written by a clock that was ahead: packages of then are not valid yet. */
export const isEntryFresh = ({ directory }: SelfRecord, now: number): boolean =>
  directory !== null && directory.publishedAt < now + day && now < directory.publishedAt + renewAfterMs;

async function packagesOfToday(store: PeerStore, now: number): Promise<number> {
  const isOfToday = ({ expiresAt, isLastResort }: PackageRecord): boolean => {
    const age = now - (expiresAt - oneTimeDays * day);
    return !isLastResort && age >= 0 && age < day;
  };
  return (await valuesOf(store, 'package', isOfToday)).length;
}

/** Whether as many new ones may be made: a stranger who uses packages again must not take others theirs. */
export const mayReplacePackages = async (store: PeerStore, now: number): Promise<boolean> =>
  (await packagesOfToday(store, now)) + mostPackages <= mostPackagesADay;

/** Makes sure that others can begin a session. Its answer also shows that the relay has sent everything that waited. */
export async function publishEntry(store: PeerStore, connection: RelayConnection, self: SelfRecord, now: number): Promise<SelfRecord> {
  const isFresh = isEntryFresh(self, now);
  const own = identityOf(self);
  const left = isFresh ? connection.packagesLeft : 0;
  const changes: RecordChange[] = [];
  const offerOne = async (days: number, isLastResort: boolean): Promise<string> => {
    const secrets = await offer(own, now, days);
    const value: PackageRecord = { secrets: packBytes(secrets), expiresAt: secrets.expiresAt, isLastResort };
    changes.push({ put: 'package', key: toBase64Url(secrets.reference), value });
    return toBase64Url(secrets.package);
  };
  let next = self;
  if (!isFresh) {
    const version = Math.max(self.directory?.version ?? 0, own.epoch.counter * versionsPerEpoch) + 1;
    const statement = canonicalJson({
      v: 1,
      address: own.address,
      key: toBase64Url(own.key.public),
      epoch: own.epoch,
      version,
      last_resort: await offerOne(lastResortDays, true),
    });
    const signature = toBase64Url(signBytes(own.key.secret, statementToSign('directory', statement)));
    next = { ...self, directory: { version, statement, signature, publishedAt: now } };
    changes.push(putSelf(next));
    for await (const { key, value } of allRecords(store, 'package'))
      if (value.expiresAt + keptAfterMs < now) changes.push({ remove: 'package', key });
    // No package that a mark guards, and no frame that a relay could repeat, lives longer.
    for await (const { key, value: seenAt } of allRecords(store, 'seen'))
      if (seenAt + lastResortDays * day + keptAfterMs < now) changes.push({ remove: 'seen', key });
  }
  const packages: string[] = [];
  const wanted = left < fewestPackages ? Math.min(mostPackages - left, mostPackagesADay - (await packagesOfToday(store, now))) : 0;
  while (packages.length < wanted) packages.push(await offerOne(oneTimeDays, false));
  // The private parts are on disk before anybody can use the public ones.
  if (changes.length > 0) await store.commit(changes);
  const { statement, signature } = next.directory!;
  const answer = await connection.request({ type: 'publish', statement, signature, packages });
  if (answer.type === 'done' && answer.packages !== undefined) connection.packagesLeft = answer.packages;
  return next;
}

type Entry = Extract<RelayMessage, { type: 'entry' }>;

/** Throws where the entry is not signed by the key it names. */
function readEntry({ statement: text, signature }: Entry): DirectoryStatement {
  try {
    const statement = DirectoryStatement.parse(JSON.parse(text));
    const isSigned = verifies(fromBase64Url(statement.key), statementToSign('directory', text), fromBase64Url(signature));
    if (isSigned && canonicalJson(statement) === text) return statement;
  } catch {
    // It is as wrong as one with a wrong signature.
  }
  throw new PeerCallError('refused', 'The relay sent a directory entry that its owner has not signed. Nothing was sent.');
}

export interface FoundEntry {
  statement: DirectoryStatement;
  /** What its owner signed. */
  text: string;
  /** One-time first; the one of last resort also where the first has expired. */
  packages: Uint8Array[];
}

/** Asks the relay about somebody. */
export async function lookUpPeer(connection: RelayConnection, address: string): Promise<FoundEntry> {
  const entry = (await connection.request({ type: 'lookup', address, package: true })) as Entry;
  const statement = readEntry(entry);
  if (statement.address !== address) throw new PeerCallError('refused', `The relay sent the directory entry of ${statement.address}.`);
  const packages = [entry.package, statement.last_resort].flatMap((one) => (one === null ? [] : [fromBase64Url(one)]));
  return { statement, text: entry.statement, packages };
}

/** The peer as the entry shows them. The result may carry an alarm: then the line is stopped. */
export function withEntry(peer: RemotePeer, { statement, text }: FoundEntry, now: number): RemotePeer {
  const kind = doubtAbout(peer, statement);
  if (kind === 'key_changed' && peer.formerKeys?.includes(statement.key))
    throw new PeerCallError(
      'refused',
      `The relay sent a directory entry of ${peer.address} under a key that they replaced. Nothing was sent.`,
    );
  // Versions count for one key: a person who lost theirs starts with a new one, and their people have to accept it.
  const known = kind === 'key_changed' ? null : peer.directory;
  if (known && (statement.version < known.version || (statement.version === known.version && text !== known.statement)))
    throw new PeerCallError(
      'refused',
      `The relay sent an older directory entry of ${peer.address} than before (${statement.version} instead of ${known.version}). Nothing was sent.`,
    );
  const { key, epoch } = statement;
  if (kind === 'old_epoch')
    throw new PeerCallError('refused', `The relay sent a directory entry of an earlier device of ${peer.address}. Nothing was sent.`);
  if (kind) return { ...peer, alarm: { kind, key, epoch, at: now } };
  return { ...peer, key, epoch, directory: { version: statement.version, statement: text } };
}

function doubtAbout({ key, epoch }: RemotePeer, statement: DirectoryStatement): 'key_changed' | 'epoch_fork' | 'old_epoch' | undefined {
  if (key !== null && key !== statement.key) return 'key_changed';
  if (epoch === null || statement.epoch.counter > epoch.counter) return undefined;
  if (statement.epoch.counter < epoch.counter) return 'old_epoch';
  return statement.epoch.device === epoch.device ? undefined : 'epoch_fork';
}

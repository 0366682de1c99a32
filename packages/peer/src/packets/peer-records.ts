// A peer's records as typed values. Bytes are base64url in them.

import { type Capabilities, type DeviceEpoch, fromBase64Url, type Packet, type NumberRanges, toBase64Url } from '@parley/protocol/relay';
import type { JournalRecord, MachineRecord, ProfileRecord, PromptRecord } from '../negotiate/negotiation-records.ts';
import type { SpaceRecord } from '../spaces/space-records.ts';
import type { Relationship } from '@parley/core/memory';
import type { KeyPackageSecrets } from '../seal/key-packages.ts';
import type { OwnIdentity, PinnedPeer } from '../seal/parties.ts';
import type { SealedSession } from '../seal/session.ts';
import { newSigningKey, randomBytes } from '../seal/sodium.ts';
import type { PeerStore, RecordChange, RecordKind, StoredRecord } from '../store/port.ts';

export interface SelfRecord {
  name: string;
  /** Null until the relay has registered the name. */
  address: string | null;
  seed: string;
  epoch: DeviceEpoch;
  relay: { url: string; name: string; key: string };
  /** The directory entry that was published last. */
  directory: { version: number; statement: string; signature: string; publishedAt: number } | null;
  /** Another device took over, so this one only reads. */
  displacedBy: DeviceEpoch | null;
  /** The time in the last frame that was sealed: a relay that knows a later one shows that this folder is an old copy. */
  sealedAt?: number | undefined;
  /** By a restore, or because the person decided so, and not yet logged in: it may take a higher counter by itself. */
  takeover: 'restored' | 'decided' | null;
}

/** How a peer's key came here: by a contact card, from the hub that runs both peers, compared by voice, or only by the relay. */
export type PeerTrust = 'pinned' | 'introduced' | 'verified' | 'unverified';
export type AlarmKind = 'key_changed' | 'epoch_fork';

export interface RemotePeer {
  address: string;
  /** Null until the directory or a packet named it. */
  key: string | null;
  epoch: DeviceEpoch | null;
  /** Keys that the person replaced. Frames under them are old and raise no alarm; only a contact card brings a key back. */
  formerKeys?: readonly string[];
  trust: PeerTrust;
  /** The latest directory entry that was seen: an older one is refused. */
  directory: { version: number; statement: string } | null;
  /** The line is stopped until the person has decided about this key and epoch. */
  alarm: { kind: AlarmKind; key: string; epoch: DeviceEpoch | null; at: number } | null;
  capabilities: Capabilities | null;
  /** Packets that could not be read as packets (A2C-9). */
  malformed: number;
  /** What somebody made this peer take whom its person has not dealt with yet; null for everybody else. */
  stranger: { frames: number; bytes: number } | null;
  /** The person blocked them, or no longer does. The relay gets to know it with the next connection. */
  block: { isOn: boolean; isAtRelay: boolean } | null;
  /** Something came that no session here opens, so this side says what it has. */
  owesSummary: boolean;
  /** Nothing shows that the two sides share a session, so the next packet begins another one. */
  needsSession: boolean;
  /** When a summary last named all negotiations with them. */
  listedAt?: number | undefined;
  /** Frames that answered their summaries since then. */
  answers: { since: number; frames: number } | null;
}

export interface SessionRecord {
  address: string;
  /** Of both devices when it began: another device needs another session. */
  ownEpoch: DeviceEpoch;
  peerEpoch: DeviceEpoch;
  beganAt: number;
  /** Who began it: of two that crossed, both sides send on the one of the smaller key. */
  isCreator: boolean;
  /** A `SealedSession`. */
  state: PackedBytes;
}

export interface PackageRecord {
  /** `KeyPackageSecrets`. */
  secrets: PackedBytes;
  expiresAt: number;
  isLastResort: boolean;
}

export interface OutboxRecord {
  to: string;
  /** Names the packet in the history; null for a summary, which is in none. */
  history: string | null;
  threadId: string;
  /** The packet's JSON text: a packet that is sealed again has the same one. */
  text: string;
  /** Sealed and signed; a retry sends the same bytes. */
  sealed: { packetId: string; frame: string } | null;
}

export type PacketState = 'received' | 'waiting' | 'sent' | 'failed';

export interface PacketRecord {
  direction: 'in' | 'out';
  peer: string;
  packet: Packet;
  /** The JSON text of a packet of ours, to be sealed again byte for byte. */
  text: string | null;
  at: number;
  state: PacketState;
  /** The ID of the frame that carried it, once it was sent. */
  sentAs?: string | undefined;
  /** Why it failed; absent where the person gave it up. */
  problem?: string | undefined;
}

export interface NegotiationRecord {
  threadId: string;
  peer: string;
  /** The highest number that each of our device epochs gave, by counter. */
  sent: Record<string, number>;
  received: NumberRanges[];
  /** Packets of ours that were given up: they are not sent again, and the peer need not wait for them. */
  withdrawn: NumberRanges[];
  lastSeen: string | null;
  /** When the last packet was sent or received. */
  at: number;
  /** When the peer last got a summary. */
  summarisedAt: number;
}

/** What each kind of record holds. */
export interface RecordTypes {
  identity: SelfRecord;
  peer: RemotePeer;
  package: PackageRecord;
  session: SessionRecord;
  negotiation: NegotiationRecord;
  /** The latest negotiation with a peer, by their address: its thread id. */
  latest: string;
  /** A negotiation whose numbers the two sides have to compare: the peer's address. It has the negotiation's key. */
  open_numbers: string;
  packet: PacketRecord;
  outbox: OutboxRecord;
  /** When it was seen. */
  seen: number;
  /** Since when the relay is away, and whether the person knows. */
  setting: { since: number; isSaid: boolean };
  machine: MachineRecord;
  prompt: PromptRecord;
  profile: ProfileRecord;
  journal: JournalRecord;
  /** By the peer's address. */
  memory: Relationship;
  /** An iCalendar text: `own`, which the peer writes, or one that the person gave. */
  calendar: { ics: string };
  /** By its creator's address and its ID. */
  space: SpaceRecord;
}

export type TypedRecord<K extends RecordKind> = Pick<StoredRecord, 'key' | 'version'> & { value: RecordTypes[K] };

export const getRecord = async <K extends RecordKind>(store: PeerStore, kind: K, key: string): Promise<TypedRecord<K> | undefined> =>
  (await store.get(kind, key)) as TypedRecord<K> | undefined;

export const getValue = async <K extends RecordKind>(store: PeerStore, kind: K, key: string): Promise<RecordTypes[K] | undefined> =>
  (await getRecord(store, kind, key))?.value;

/** All records of a kind, in order. */
export async function* allRecords<K extends RecordKind>(store: PeerStore, kind: K): AsyncGenerator<TypedRecord<K>> {
  for (let after = 0; ;) {
    const page = await store.list(kind, after, 200);
    yield* page as (StoredRecord & TypedRecord<K>)[];
    if (page.length < 200) return;
    after = page.at(-1)!.sequence;
  }
}

export async function valuesOf<K extends RecordKind>(
  store: PeerStore,
  kind: K,
  isWanted: (value: RecordTypes[K]) => boolean = () => true,
): Promise<RecordTypes[K][]> {
  const values: RecordTypes[K][] = [];
  for await (const { value } of allRecords(store, kind)) if (isWanted(value)) values.push(value);
  return values;
}

export const putPeer = (peer: RemotePeer): RecordChange => ({ put: 'peer', key: peer.address, value: peer });
export const putSelf = (self: SelfRecord): RecordChange => ({ put: 'identity', key: 'self', value: self });

export const negotiationKey = (peer: string, threadId: string): string => `${peer}/${threadId}`;
export const receivedKey = (from: string, packetId: string): string => `in/${from}/${packetId}`;
export const sentKey = (to: string, threadId: string, epoch: number, number: number): string => `out/${to}/${threadId}/${epoch}.${number}`;

export function identityOf({ address, seed, epoch }: SelfRecord): OwnIdentity {
  return { address: address ?? '', key: newSigningKey(fromBase64Url(seed)), epoch };
}

export function pinnedPeer({ address, key, epoch }: RemotePeer): PinnedPeer | undefined {
  return key !== null && epoch !== null ? { address, key: fromBase64Url(key), epoch } : undefined;
}

export const sameEpoch = (a: DeviceEpoch, b: DeviceEpoch): boolean => a.counter === b.counter && a.device === b.device;
export const newEpoch = (counter: number): DeviceEpoch => ({ counter, device: toBase64Url(randomBytes(16)) });

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 26 letters and digits: 130 random bits. */
export const newId = (prefix: 'pkt' | 'thr' | 'prm' | 'spc'): string =>
  `${prefix}_${Array.from(randomBytes(26), (byte) => letters[byte & 31]).join('')}`;

export const newRemotePeer = (address: string, known: Pick<RemotePeer, 'key' | 'epoch' | 'trust'>): RemotePeer => ({
  address,
  directory: null,
  alarm: null,
  capabilities: null,
  malformed: 0,
  stranger: null,
  block: null,
  owesSummary: false,
  needsSession: false,
  answers: null,
  ...known,
});

export const newNegotiation = (peer: string, threadId: string, now: number): NegotiationRecord => ({
  threadId,
  peer,
  sent: {},
  received: [],
  withdrawn: [],
  lastSeen: null,
  at: now,
  summarisedAt: 0,
});

/** A value of JSON in which bytes are `{ bytes: base64url }`. */
type PackedBytes = { readonly packed: unknown };

export const packBytes = (value: object): PackedBytes => ({
  packed: JSON.parse(JSON.stringify(value, (_, part: unknown) => (part instanceof Uint8Array ? { bytes: toBase64Url(part) } : part))),
});

const unpackBytes = ({ packed }: PackedBytes): unknown =>
  JSON.parse(JSON.stringify(packed), (_, part: unknown) => {
    const { bytes, ...others } = (typeof part === 'object' && part !== null ? part : {}) as { bytes?: unknown };
    return typeof bytes === 'string' && Object.keys(others).length === 0 ? fromBase64Url(bytes) : part;
  });

export const sessionOf = ({ state }: SessionRecord): SealedSession => unpackBytes(state) as SealedSession;
export const packageOf = ({ secrets }: PackageRecord): KeyPackageSecrets => unpackBytes(secrets) as KeyPackageSecrets;

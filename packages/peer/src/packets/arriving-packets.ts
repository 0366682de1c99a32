// Opens what came: decides whether its sender can be trusted, finds or joins the session, and stores text, session and the mark
// against repeats together, before the packet is acknowledged (A2C-34).

import {
  type Frame,
  fromBase64Url,
  fromUtf8,
  type Packet,
  packetTypeOf,
  addressParts,
  readFrame,
  readPacket,
  toBase64Url,
  type FailureNotice,
  type RelayRefusal,
  relayRefusals,
} from '@parley/protocol/relay';
import { type FrameDoubt, trustFrame } from '../identity/signed-frames.ts';
import type { Parties, PinnedPeer } from '../seal/parties.ts';
import { SealError } from '../seal/sealed-body.ts';
import { groupOf, join, open, packageNamedIn, type SealedSession } from '../seal/session.ts';
import { SkipLimitError } from '../seal/skipped-packets.ts';
import { hashOf } from '../seal/sodium.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import {
  allRecords,
  type AlarmKind,
  getRecord,
  getValue,
  identityOf,
  newRemotePeer,
  packageOf,
  packBytes,
  type RemotePeer,
  pinnedPeer,
  putPeer,
  receivedKey,
  sameEpoch,
  type SelfRecord,
  sessionOf,
  type SessionRecord,
  valuesOf,
} from './peer-records.ts';
import { recordArrival, withdrawPackets } from './numbers.ts';
import { eraseExtraSessions } from './sessions.ts';
import { answerSummary } from './summaries.ts';

export interface PacketArrival {
  kind: 'packet';
  peer: RemotePeer;
  packet: Packet;
}
export type Arrival =
  | PacketArrival
  | { kind: 'repeated' }
  | Undelivered
  | { kind: 'stopped'; peer: RemotePeer; alarm: AlarmKind }
  | { kind: 'dropped'; reason: string; peer: RemotePeer | undefined };

/** Throws only where the store fails; then the packet stays with the relay. */
export async function openFrame(store: PeerStore, self: SelfRecord, bytes: Uint8Array, now: number): Promise<Arrival> {
  const own = identityOf(self);
  let claimed: Frame['header'];
  try {
    claimed = readFrame(bytes).header;
  } catch {
    return { kind: 'dropped', reason: 'bad_form', peer: undefined };
  }
  const stored = await getValue(store, 'peer', claimed.from);
  // Nothing of theirs is kept, not even a mark against repeats.
  if (stored?.block?.isOn) return { kind: 'dropped', reason: 'blocked', peer: stored };
  // A stranger is pinned as they come, unverified: everything later has to fit that key.
  const stranger: PinnedPeer = { address: claimed.from, key: fromBase64Url(claimed.from_key), epoch: claimed.epoch };
  const pinned = stored && pinnedPeer(stored);
  const frame = trustFrame(own, bytes, () => pinned ?? { ...stranger, key: fromBase64Url(stored?.key ?? claimed.from_key) });
  if ('doubt' in frame) return stopOrDrop(store, frame.doubt, stored, claimed, now);
  const { header } = frame;
  const known = stored ?? newStranger(header);
  if (known.alarm) return { kind: 'stopped', peer: known, alarm: known.alarm.kind };
  if (await store.get('seen', seenKey(header))) return { kind: 'repeated' };
  if (await isStrangerOverLimit(store, own.address, known, !stored)) return { kind: 'dropped', reason: 'stranger_limit', peer: known };
  const peer: RemotePeer = { ...withFrame(known, bytes.length), key: header.from_key, epoch: header.epoch };
  const hasNewDevice = known.epoch !== null && header.epoch.counter > known.epoch.counter;
  const before = hasNewDevice ? await forgetDevice(store, peer) : [];
  return keepOpened(store, self, { peer, frame, before }, now);
}

const newStranger = ({ from, from_key: key, epoch }: Frame['header']): RemotePeer => ({
  ...newRemotePeer(from, { key, epoch, trust: 'unverified' }),
  stranger: { frames: 0, bytes: 0 },
});

const seenKey = ({ from, packet_id: id }: { from: string; packet_id: string }): string => `frame/${from}/${id}`;

async function stopOrDrop(
  store: PeerStore,
  doubt: FrameDoubt,
  peer: RemotePeer | undefined,
  { from_key: key, epoch }: Frame['header'],
  now: number,
): Promise<Arrival> {
  if (doubt === 'key_changed' && peer?.formerKeys?.includes(key)) return { kind: 'dropped', reason: 'old_key', peer };
  if (!peer || (doubt !== 'key_changed' && doubt !== 'epoch_fork')) return { kind: 'dropped', reason: doubt, peer };
  if (peer.alarm) return { kind: 'stopped', peer, alarm: peer.alarm.kind };
  const stopped: RemotePeer = { ...peer, alarm: { kind: doubt, key, epoch, at: now } };
  await store.commit([putPeer(stopped)]);
  return { kind: 'stopped', peer: stopped, alarm: doubt };
}

/** Another device of the same identity: what was sealed for the earlier one is sealed again, and its sessions are erased (A2C-8). */
export async function forgetDevice(store: PeerStore, { address, epoch }: RemotePeer): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  for await (const { key, value } of allRecords(store, 'session'))
    if (value.address === address && (epoch === null || !sameEpoch(value.peerEpoch, epoch))) changes.push({ remove: 'session', key });
  for await (const { key, value } of allRecords(store, 'outbox'))
    if (value.to === address && value.sealed) changes.push({ put: 'outbox', key, value: { ...value, sealed: null } });
  return changes;
}

interface FoundSession {
  session: SealedSession;
  key: string;
  version: number;
  record: Omit<SessionRecord, 'state'>;
  /** Uses the package up, or remembers the Welcome that used the one of last resort. */
  changes: RecordChange[];
}

/** The fault of the packet, whatever library found it; the store's faults are none of the packet's. */
async function orSealError<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof SealError ? error : new SealError((error as Error).message, { cause: error });
  }
}

async function sessionFor(
  store: PeerStore,
  self: SelfRecord,
  parties: Parties,
  body: Uint8Array,
  now: number,
): Promise<FoundSession | 'no_session' | 'unknown_package'> {
  const key = toBase64Url(await orSealError(() => groupOf(body)));
  const stored = await getRecord(store, 'session', key);
  if (stored) {
    const { value, version } = stored;
    const isTheirs = value.address === parties.peer.address && sameEpoch(value.peerEpoch, parties.peer.epoch);
    return isTheirs ? { session: sessionOf(value), key, version, record: value, changes: [] } : 'no_session';
  }
  const reference = await orSealError(() => packageNamedIn(body));
  const name = reference && toBase64Url(reference);
  if (name === undefined) return 'no_session';
  const offered = await getRecord(store, 'package', name);
  if (!offered) return 'unknown_package';
  // The session of a Welcome that was joined may be erased; the Welcome must not open it again.
  const welcome = `welcome/${toBase64Url(hashOf(fromBase64Url(key)))}`;
  if (await store.get('seen', welcome)) return 'no_session';
  const session = await orSealError(() => join(parties, packageOf(offered.value), body));
  const { address, epoch: peerEpoch } = parties.peer;
  const record = { address, ownEpoch: self.epoch, peerEpoch, beganAt: now, isCreator: false };
  const use: RecordChange = offered.value.isLastResort ? { put: 'seen', key: welcome, value: now } : { remove: 'package', key: name };
  return { session, key, version: 0, record, changes: [use] };
}

async function keepOpened(
  store: PeerStore,
  self: SelfRecord,
  { peer, frame, before }: { peer: RemotePeer; frame: Frame; before: RecordChange[] },
  now: number,
): Promise<Arrival> {
  const parties: Parties = { own: identityOf(self), peer: pinnedPeer(peer)! };
  const seen: RecordChange = { put: 'seen', key: seenKey(frame.header), value: now };
  const drop = async (reason: string, changed: RemotePeer, changes: RecordChange[] = []): Promise<Arrival> => {
    await store.commit([...before, ...changes, seen, putPeer(changed)]);
    return { kind: 'dropped', reason, peer: changed };
  };
  let found: FoundSession;
  let opened: { session: SealedSession; text: Uint8Array };
  try {
    const match = await sessionFor(store, self, parties, frame.body, now);
    // Perhaps it was sealed for an earlier device of this identity, or with a used package: a summary says what is missing here.
    if (typeof match === 'string') return await drop(match, { ...peer, owesSummary: true, needsSession: true });
    found = match;
    const { session } = match;
    opened = await orSealError(() => open(session, parties, frame, now));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Packets that are too far apart to be opened now are sent again when a summary shows the gap.
    if (error instanceof SkipLimitError) return drop(error.message, { ...peer, owesSummary: true });
    return drop(error.message, { ...peer, malformed: peer.malformed + 1 });
  }
  const session: RecordChange = {
    put: 'session',
    key: found.key,
    value: { ...found.record, state: packBytes(opened.session) } satisfies SessionRecord,
    ifVersion: found.version,
  };
  const sealed = [session, ...found.changes, ...(found.version === 0 ? await eraseExtraSessions(store, self, peer) : [])];
  const packet = packetIn(opened.text, frame);
  if (!packet) return drop('malformed', { ...peer, malformed: peer.malformed + 1 }, sealed);
  const next = { ...peer, needsSession: false, capabilities: packet.capabilities ?? peer.capabilities };
  if (packetTypeOf(packet) === 'thread_summary') {
    await store.commit([...before, ...sealed, seen, putPeer(next), ...(await answerSummary(store, self, next, packet, now))]);
    return { kind: 'packet', peer: next, packet };
  }
  const isRepeated = (await store.get('packet', receivedKey(peer.address, packet.packet_id))) !== undefined;
  const arrival = await recordArrival(store, packet, { hash: hashOf(opened.text), isRepeated }, now);
  await store.commit([...before, ...sealed, seen, putPeer(next), ...arrival]);
  return isRepeated ? { kind: 'repeated' } : { kind: 'packet', peer: next, packet };
}

/** Undefined where the text is no packet of that sender to this peer. */
function packetIn(text: Uint8Array, { header }: Frame): Packet | undefined {
  try {
    const read = readPacket(fromUtf8(text));
    if (!read.ok) return undefined;
    const { from, to, sequence } = read.packet;
    return from === header.from && to === header.to && (sequence?.epoch ?? 0) <= header.epoch.counter ? read.packet : undefined;
  } catch {
    return undefined;
  }
}

// People who wrote first, and with whom the person has not dealt yet. They fill only so much of this disk (A2C-9).

const mostStrangers = 200;
/** A relay can make up as many names as it likes. This person's own one is known to them. */
const mostOfOtherRelay = 20;
const mostFrames = 100;
const mostBytes = 2 ** 20;

type StrangerLoad = NonNullable<RemotePeer['stranger']>;

const isFull = ({ frames, bytes }: StrangerLoad): boolean => frames >= mostFrames || bytes >= mostBytes;

const relayOf = (address: string): string => addressParts(address).relay;

/** Whether nothing more of this stranger has room. `isNew`: nothing of them is stored yet. */
async function isStrangerOverLimit(store: PeerStore, own: string, { address, stranger }: RemotePeer, isNew: boolean): Promise<boolean> {
  if (!isNew) return stranger !== null && stranger !== undefined && isFull(stranger);
  const strangers = await valuesOf(store, 'peer', (peer) => Boolean(peer.stranger));
  const relay = relayOf(address);
  const neighbours = relay === relayOf(own) ? [] : strangers.filter((peer) => relayOf(peer.address) === relay);
  return strangers.length >= mostStrangers || neighbours.length >= mostOfOtherRelay;
}

const withFrame = (peer: RemotePeer, bytes: number): RemotePeer =>
  peer.stranger ? { ...peer, stranger: { frames: peer.stranger.frames + 1, bytes: peer.stranger.bytes + bytes } } : peer;

/** The person deals with them now. A summary brings what had no room. */
export const acquainted = (peer: RemotePeer): RemotePeer =>
  peer.stranger ? { ...peer, stranger: null, owesSummary: peer.owesSummary || isFull(peer.stranger) } : peer;

// Packets that this peer's relay had stored, and that did not reach the relay of their recipient (A2C-10).

export interface Undelivered {
  kind: 'undelivered';
  to: string;
  message: string;
  /** Whether the packet is given up. Otherwise a summary shows that it is missing, and it is sent again. */
  isFinal: boolean;
}

/** Marks the packet as failed, where sending it again would not help. */
export async function noteUndelivered(store: PeerStore, { packet_id: sentAs, to, code, message }: FailureNotice): Promise<Undelivered> {
  // The relay has tried for days.
  const isFinal = code === 'relay_unreachable' || !(relayRefusals[code as RelayRefusal]?.retry ?? false);
  if (isFinal) {
    const keys: string[] = [];
    for await (const { key, value } of allRecords(store, 'packet'))
      if (value.direction === 'out' && value.peer === to && value.sentAs === sentAs && value.state === 'sent') keys.push(key);
    if (keys.length > 0) await store.commit(await withdrawPackets(store, keys, message));
  }
  return { kind: 'undelivered', to, message, isFinal };
}

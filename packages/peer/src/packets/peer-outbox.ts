// Sends what waits, in order for each recipient. A row leaves the outbox when the relay has stored its frame.

import { fromBase64Url, readFrame } from '@parley/protocol/relay';
import { PeerCallError } from '@parley/protocol';
import { LinkError, type RelayConnection, RelayRefused } from '../link/relay-connection.ts';
import { TooLargeError } from '../seal/sealed-body.ts';
import { type PeerStore, type RecordChange, VersionConflict } from '../store/port.ts';
import { lookUpPeer, withEntry } from './directory.ts';
import { withdrawPackets } from './numbers.ts';
import { forgetDevice } from './arriving-packets.ts';
import {
  type AlarmKind,
  allRecords,
  getRecord,
  getValue,
  type OutboxRecord,
  type RemotePeer,
  putPeer,
  type TypedRecord,
} from './peer-records.ts';
import type { LocalPeer } from './local-peer.ts';
import { sealRow } from './sealing.ts';
import { sendingSession } from './sessions.ts';

export interface OutboxEvents {
  onSent?: (key: string) => void;
  /** The row stays, unless `isFinal`. */
  onRefused?: (key: string, error: PeerCallError, isFinal: boolean) => void;
  /** The row was not tried, because one before it to the same recipient waits. */
  onHeld?: (key: string, error: PeerCallError) => void;
}

interface Sending {
  peer: LocalPeer;
  connection: RelayConnection;
  events: OutboxEvents;
}

type SealedRow = NonNullable<OutboxRecord['sealed']>;

/** Of a lookup: nobody can be reached under this address. */
const hopeless: ReadonlySet<RelayRefused['code']> = new Set(['unknown_address', 'not_federated']);

/** Throws a `LinkError` when the line is gone. */
export async function sendOutbox(sending: Sending): Promise<void> {
  const { peer, events } = sending;
  const stopped = new Map<string, PeerCallError>();
  for (let hasSent = true; hasSent;) {
    hasSent = false;
    for await (const { key, value } of allRecords(peer.parts.store, 'outbox')) {
      const earlier = stopped.get(value.to);
      if (earlier) events.onHeld?.(key, earlier);
      if (earlier) continue;
      try {
        await sendRow(sending, key);
        hasSent = true;
      } catch (error) {
        if (error instanceof LinkError) throw error;
        const isFinal = error instanceof TooLargeError || (error instanceof RelayRefused && hopeless.has(error.code));
        const refusal = asCallError(error, value.to, isFinal);
        if (isFinal) await settle(peer, key, null, refusal.message);
        else stopped.set(value.to, refusal);
        events.onRefused?.(key, refusal, isFinal);
      }
    }
  }
}

async function sendRow(sending: Sending, key: string): Promise<void> {
  const { peer, connection, events } = sending;
  const sealed = await sealedRow(sending, key);
  if (!sealed) return;
  try {
    await connection.send(sealed.packetId, fromBase64Url(sealed.frame));
  } catch (error) {
    if (!(error instanceof RelayRefused) || error.mayRetry) throw error;
    const clock = clockDoubts[error.code];
    if (clock === undefined) return giveUp(sending, key, sealed, error);
    await unseal(peer, key, sealed, clock);
    // At once, so that no later packet overtakes it.
    return sendRow(sending, key);
  }
  await settle(peer, key, sealed.packetId, null);
  events.onSent?.(key);
}

/** Removes the row, unless it was sealed again meanwhile for another device. `problem`: why it failed; null where it was sent. */
async function settle(
  { parts: { store }, inTurn }: LocalPeer,
  key: string,
  packetId: string | null,
  problem: string | null,
): Promise<void> {
  await inTurn(async () => {
    const row = await getValue(store, 'outbox', key);
    if (!row || (row.sealed?.packetId ?? null) !== packetId) return;
    await store.commit([{ remove: 'outbox', key }, ...(row.history === null ? [] : await marked(store, row.history, packetId, problem))]);
  });
}

async function marked(store: PeerStore, key: string, packetId: string | null, problem: string | null): Promise<RecordChange[]> {
  if (problem !== null) return withdrawPackets(store, [key], problem);
  const record = await getRecord(store, 'packet', key);
  return record ? [{ put: 'packet', key, value: { ...record.value, state: 'sent', sentAs: packetId ?? undefined } }] : [];
}

/** What a refusal says about the clock, where the packet was sealed just now. */
const clockDoubts: { readonly [C in RelayRefused['code']]?: string } = {
  too_old: 'weeks behind',
  from_the_future: 'more than a day ahead',
};
const sealAgainAfterMs = 86_400_000;

/** For a packet that waited too long, or was sealed while the clock was wrong. */
async function unseal(
  { parts: { store, now }, inTurn }: LocalPeer,
  key: string,
  { packetId, frame }: SealedRow,
  clock: string,
): Promise<void> {
  if (Math.abs(now() - readFrame(fromBase64Url(frame)).header.sent_at) < sealAgainAfterMs)
    throw new PeerCallError('refused', `The relay refused the packet: the clock of this machine is ${clock}. Set it, then send again.`);
  await inTurn(async () => {
    const row = await getValue(store, 'outbox', key);
    if (row?.sealed?.packetId === packetId) await store.commit([{ put: 'outbox', key, value: { ...row, sealed: null } }]);
  });
}

async function giveUp(sending: Sending, key: string, sealed: SealedRow, error: RelayRefused): Promise<void> {
  const to = (await getValue(sending.peer.parts.store, 'outbox', key))?.to;
  // The relay names another key for the recipient: only a statement of theirs shows which.
  if (error.code === 'key_changed' && to !== undefined) await findPackages(sending, to);
  const refusal = asCallError(error, to ?? 'the recipient', true);
  await settle(sending.peer, key, sealed.packetId, refusal.message);
  sending.events.onRefused?.(key, refusal, true);
}

async function sealedRow(sending: Sending, key: string): Promise<OutboxRecord['sealed']> {
  const { peer } = sending;
  const { store, now } = peer.parts;
  for (let tries = 0; ; tries += 1) {
    const row = await getRecord(store, 'outbox', key);
    if (!row) return null;
    const known = await peerOf(store, row.value.to);
    if (row.value.sealed) return row.value.sealed;
    const hasSession = known.epoch !== null && (await sendingSession(store, peer.self, known)) !== undefined;
    const packages = hasSession ? [] : await findPackages(sending, row.value.to);
    try {
      return await peer.inTurn(async () => sealRow(peer, row, { to: await peerOf(store, row.value.to), packages, now: now() }));
    } catch (error) {
      // Somebody else used the session meanwhile; what was sealed here is thrown away.
      if (!(error instanceof VersionConflict) || tries > 5) throw error;
    }
  }
}

/** Throws where the line to this peer is stopped. */
async function peerOf(store: PeerStore, address: string): Promise<RemotePeer> {
  const peer: TypedRecord<'peer'> | undefined = await getRecord(store, 'peer', address);
  if (!peer) throw new PeerCallError('unknown_peer', `${address} is not one of your peers.`);
  if (peer.value.alarm) throw stoppedLine(address, peer.value.alarm.kind);
  return peer.value;
}

/** Asks the directory for key packages, and stores an alarm where it names another key. */
async function findPackages({ peer, connection }: Sending, address: string): Promise<Uint8Array[]> {
  const { store, now } = peer.parts;
  const before = await peerOf(store, address);
  const entry = await lookUpPeer(connection, address);
  const judged = withEntry(before, entry, now());
  await peer.inTurn(async () => {
    const current = await peerOf(store, address);
    // A packet of a later device may have come while the relay answered.
    const isOutrun = !judged.alarm && current.key === judged.key && (current.epoch?.counter ?? 0) > judged.epoch!.counter;
    // Everything else that was learnt meanwhile, such as a contact card, counts against the answer.
    const next: RemotePeer = isOutrun ? { ...current, directory: judged.directory } : withEntry(current, entry, now());
    const hasNewDevice = current.epoch?.counter !== next.epoch?.counter;
    await store.commit([putPeer(next), ...(hasNewDevice ? await forgetDevice(store, next) : [])]);
    if (next.alarm) throw stoppedLine(address, next.alarm.kind);
  });
  return entry.packages;
}

const stopReasons: Record<AlarmKind, string> = {
  key_changed: 'the key has changed',
  epoch_fork: 'two devices use the same epoch',
};

export const stoppedLine = (address: string, kind: AlarmKind): PeerCallError =>
  new PeerCallError(
    'line_stopped',
    `The line to ${address} is stopped: ${stopReasons[kind]}. Compare the safety number with them, then accept it.`,
  );

function asCallError(error: unknown, to: string, isFinal: boolean): PeerCallError {
  if (error instanceof PeerCallError) return error;
  const after = isFinal ? ' It was not sent, and is not tried again.' : ' It stays in the outbox and is sent later.';
  if (!(error instanceof RelayRefused))
    return new PeerCallError('refused', `The packet to ${to} could not be sealed: ${(error as Error).message}${after}`, { cause: error });
  const code = error.mayRetry ? 'queue_full' : 'refused';
  return new PeerCallError(code, `The relay refused the packet to ${to}: ${error.message}${after}`, { cause: error });
}

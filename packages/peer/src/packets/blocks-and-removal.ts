// Blocks and reports (A2C-9). A block counts here at once, and at the relay as soon as there is a line.

import { canonicalJson, PeerAddress, type ReportStatement, statementToSign, toBase64Url } from '@parley/protocol/relay';
import { badInput, PeerCallError } from '@parley/protocol';
import { type RelayConnection, RelayRefused } from '../link/relay-connection.ts';
import { signBytes } from '../seal/sodium.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { purgeMemory, dropRelationship } from '../memory/memories.ts';
import { withdrawPackets } from './numbers.ts';
import { type LocalPeer, type RemotePeerView, viewOf } from './local-peer.ts';
import { allRecords, getValue, identityOf, newRemotePeer, type RemotePeer, putPeer, valuesOf } from './peer-records.ts';
import { isEnded } from '@parley/core/negotiation';
import { Staging } from './staging.ts';

export type ReportReason = ReportStatement['reason'];

/** Also for somebody who has not written yet. `endAll`: what is open with them, before the block counts. */
export function setBlock(peer: LocalPeer, address: string, isOn: boolean, endAll?: () => Promise<void>): Promise<RemotePeerView> {
  return peer.inTurn(async () => {
    const { store } = peer.parts;
    if (!PeerAddress.safeParse(address).success || address === peer.address)
      throw badInput(`${address} is not the address of another peer. Write agent:<name>@<relay>.`);
    const stored = await getValue(store, 'peer', address);
    const known = stored ?? (isOn ? newRemotePeer(address, { key: null, epoch: null, trust: 'unverified' }) : await peer.peer(address));
    if ((known.block?.isOn ?? false) === isOn) return viewOf(known);
    if (isOn && stored) await endAll?.();
    const next: RemotePeer = { ...known, stranger: null, block: { isOn, isAtRelay: false } };
    await store.commit([
      putPeer(next),
      ...(isOn ? [...(await withdrawWaiting(store, address)), ...(await purgeMemory(store, address))] : []),
    ]);
    return viewOf(next);
  });
}

/** Gives up what waits for them. Sessions stay: the other side would go on to use them after the block. */
async function withdrawWaiting(store: PeerStore, address: string): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  const packets: string[] = [];
  for await (const { key, value } of allRecords(store, 'outbox')) {
    if (value.to !== address) continue;
    changes.push({ remove: 'outbox', key });
    if (value.history !== null) packets.push(value.history);
  }
  return [...changes, ...(await withdrawPackets(store, packets))];
}

/** Makes the relay drop what blocked people send, and no longer what unblocked ones do. */
export async function publishBlocks(peer: LocalPeer, connection: RelayConnection): Promise<void> {
  const { store } = peer.parts;
  for (const { address, block } of await valuesOf(store, 'peer', (one) => one.block?.isAtRelay === false)) {
    try {
      await connection.request({ type: 'block', address, blocked: block!.isOn });
    } catch (error) {
      if (!(error instanceof RelayRefused)) throw error;
      continue;
    }
    await peer.inTurn(async () => {
      const current = await peer.peer(address);
      if (current.block?.isOn !== block!.isOn) return;
      await store.commit([putPeer({ ...current, block: block!.isOn ? { isOn: true, isAtRelay: true } : null })]);
    });
  }
}

export async function reportPeer(peer: LocalPeer, connection: RelayConnection, about: string, reason: ReportReason): Promise<void> {
  const own = identityOf(peer.self);
  const statement = canonicalJson({ v: 1, from: own.address, about, reason, at: peer.parts.now() });
  const signature = toBase64Url(signBytes(own.key.secret, statementToSign('report', statement)));
  await connection.request({ type: 'report', statement, signature });
}

// Removing somebody: their key, what was learned of them, the tiers that were set for them, and everything between the two that is open.
// Packets of before stay in the history, and their numbers are not used again.

export function removePeer(peer: LocalPeer, address: string): Promise<void> {
  return peer.inTurn(async () => {
    const { block } = await peer.peer(address);
    // The relay would go on to drop their packets, and nobody would know why.
    if (block?.isOn) throw new PeerCallError('blocked', `You blocked ${address}. Unblock them first, or leave them blocked.`);
    const staging = new Staging(peer.parts.store);
    await dropRelationship(staging, address);
    const open: RecordChange[] = [];
    for await (const { key, value } of allRecords(staging, 'machine')) {
      if (value.machine.peer !== address) continue;
      // The lines of a group belong together, also after it has ended.
      if (value.lead === undefined) open.push({ remove: 'machine', key });
      else if (!isEnded(value.machine.state)) throw stillInGroup(address, value.machine.threadId);
    }
    for await (const { key, value } of allRecords(staging, 'prompt')) if (value.peer === address) open.push({ remove: 'prompt', key });
    await staging.commit([...open, ...(await withdrawWaiting(staging, address)), { remove: 'peer', key: address }]);
    await peer.parts.store.commit(staging.changes);
  });
}

const stillInGroup = (address: string, id: string): PeerCallError =>
  badInput(`You coordinate ${id}, in which ${address} takes part. End it first, or block them.`);

// People who wrote first, and with whom the person has not dealt yet. They fill only so much of this disk (A2C-9).

import { addressParts } from '@parley/protocol/relay';
import type { PeerStore } from '../store/port.ts';
import { allRecords, type PeerRecord } from './records.ts';

const mostStrangers = 200;
/** A relay can make up as many names as it likes. This person's own one is known to them. */
const mostOfOtherRelay = 20;
const mostFrames = 100;
const mostBytes = 2 ** 20;

type StrangerLoad = NonNullable<PeerRecord['stranger']>;

const isFull = ({ frames, bytes }: StrangerLoad): boolean => frames >= mostFrames || bytes >= mostBytes;

const relayOf = (address: string): string => addressParts(address).relay;

/** Whether nothing more of this stranger has room. `isNew`: nothing of them is stored yet. */
export async function isStrangerOverLimit(
  store: PeerStore,
  own: string,
  { address, stranger }: PeerRecord,
  isNew: boolean,
): Promise<boolean> {
  if (!isNew) return stranger !== null && stranger !== undefined && isFull(stranger);
  const relay = relayOf(address);
  let strangers = 0;
  let neighbours = 0;
  for await (const { value } of allRecords(store, 'peer')) {
    if (!value.stranger) continue;
    strangers += 1;
    if (relayOf(value.address) === relay) neighbours += 1;
  }
  return strangers >= mostStrangers || (relay !== relayOf(own) && neighbours >= mostOfOtherRelay);
}

export const withFrame = (peer: PeerRecord, bytes: number): PeerRecord =>
  peer.stranger ? { ...peer, stranger: { frames: peer.stranger.frames + 1, bytes: peer.stranger.bytes + bytes } } : peer;

/** The person deals with them now. A summary brings what had no room. */
export const acquainted = (peer: PeerRecord): PeerRecord =>
  peer.stranger ? { ...peer, stranger: null, owesSummary: peer.owesSummary || isFull(peer.stranger) } : peer;

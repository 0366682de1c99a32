// People who wrote first, and with whom the person has not dealt yet. They fill only so much of this disk (A2C-9).

import type { PeerStore } from '../store/port.ts';
import { allRecords, type PeerRecord } from './records.ts';

const mostStrangers = 200;
const mostFrames = 100;
const mostBytes = 2 ** 20;

type StrangerLoad = NonNullable<PeerRecord['stranger']>;

const isFull = ({ frames, bytes }: StrangerLoad): boolean => frames >= mostFrames || bytes >= mostBytes;

/** Whether nothing more of this stranger has room. `isNew`: nothing of them is stored yet. */
export async function isStrangerOverLimit(store: PeerStore, { stranger }: PeerRecord, isNew: boolean): Promise<boolean> {
  if (!isNew) return stranger !== null && stranger !== undefined && isFull(stranger);
  let strangers = 0;
  for await (const { value } of allRecords(store, 'peer')) if (value.stranger) strangers += 1;
  return strangers >= mostStrangers;
}

export const withFrame = (peer: PeerRecord, bytes: number): PeerRecord =>
  peer.stranger ? { ...peer, stranger: { frames: peer.stranger.frames + 1, bytes: peer.stranger.bytes + bytes } } : peer;

/** The person deals with them now. A summary brings what had no room. */
export const acquainted = (peer: PeerRecord): PeerRecord =>
  peer.stranger ? { ...peer, stranger: null, owesSummary: peer.owesSummary || isFull(peer.stranger) } : peer;

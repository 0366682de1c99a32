// Signs frames as this peer, and trusts those of others only under the key that is pinned for them (A2C-2, A2C-4).

import {
  type Frame,
  type FrameHeader,
  frameToSign,
  joinBytes,
  readFrame,
  signedBytesOf,
  sameBytes,
  fromBase64Url,
  toBase64Url,
  unsignedFrame,
} from '@parley/protocol/relay';
import type { OwnIdentity, PinnedPeer } from '../seal/parties.ts';
import { signBytes, verifies } from '../seal/sodium.ts';

export function signFrame(own: OwnIdentity, header: FrameHeader, body: Uint8Array): Uint8Array {
  const unsigned = unsignedFrame(header, body);
  return joinBytes(unsigned, signBytes(own.key.secret, frameToSign(unsigned)));
}

export type FrameDoubt = 'bad_form' | 'not_for_us' | 'unknown_sender' | 'key_changed' | 'bad_signature' | 'old_epoch' | 'epoch_fork';

/** A frame that this peer may open, or why not. A relay cannot make the first out of the second. */
export function trustFrame(
  own: OwnIdentity,
  bytes: Uint8Array,
  peerOf: (address: string) => PinnedPeer | undefined,
): Frame | { doubt: FrameDoubt } {
  let frame: Frame;
  try {
    frame = readFrame(bytes);
  } catch {
    return { doubt: 'bad_form' };
  }
  const { header, signature } = frame;
  if (header.to !== own.address || header.to_key !== toBase64Url(own.key.public)) return { doubt: 'not_for_us' };
  const peer = peerOf(header.from);
  if (!peer) return { doubt: 'unknown_sender' };
  const key = fromBase64Url(header.from_key);
  if (!verifies(key, signedBytesOf(bytes), signature)) return { doubt: 'bad_signature' };
  if (!sameBytes(key, peer.key)) return { doubt: 'key_changed' };
  if (header.epoch.counter < peer.epoch.counter) return { doubt: 'old_epoch' };
  if (header.epoch.counter === peer.epoch.counter && header.epoch.device !== peer.epoch.device) return { doubt: 'epoch_fork' };
  return frame;
}

// A key and a nonce that wait for a skipped packet. ts-mls would keep the ratchet's secret instead, from which the keys of all later
// packets follow; it asks the cipher suite for both, so the suite takes them out of such a pair instead of deriving them (A2C-5).

import { fromUtf8 } from '@parley/protocol/relay';

const keyBytes = 32;
const nonceBytes = 12;

/** No secret of the suite has this length. */
export const isPacketKey = (secret: Uint8Array): boolean => secret.length === keyBytes + nonceBytes;

/** `info` is RFC 9420's KDFLabel: two bytes of length, then the label with its own length. */
export function partOf(pair: Uint8Array, info: Uint8Array): Uint8Array {
  const label = fromUtf8(info.subarray(3, 3 + info[2]!));
  if (label === 'MLS 1.0 key') return pair.slice(0, keyBytes);
  if (label === 'MLS 1.0 nonce') return pair.slice(keyBytes);
  throw new Error(`A packet's key cannot become "${label}".`);
}

// A relay's word to its own user that a packet it had stored did not reach another relay (A2C-10). It waits, comes and is acknowledged
// as a delivery does, in the place of a frame:
//
//   1 byte   kind: 3
//   n bytes  canonical JSON in UTF-8

import { z } from 'zod';
import { fromUtf8, joinBytes, utf8 } from './bytes.ts';
import { canonicalJson } from './canonical.ts';
import { PacketId } from './frames.ts';
import { PeerAddress } from './peer-addresses.ts';

export const FailureNotice = z.object({
  v: z.literal(1),
  packet_id: PacketId,
  to: PeerAddress,
  /** As in `refused`. */
  code: z.string().max(64),
  message: z.string().max(1500),
});
export type FailureNotice = z.output<typeof FailureNotice>;

const kind = 3;

export const writeNotice = (notice: FailureNotice): Uint8Array => joinBytes(Uint8Array.of(kind), utf8(canonicalJson(notice)));

/** Undefined where the bytes are no notice. */
export function readNotice(bytes: Uint8Array): FailureNotice | undefined {
  if (bytes[0] !== kind) return undefined;
  try {
    return FailureNotice.parse(JSON.parse(fromUtf8(bytes.subarray(1))));
  } catch {
    return undefined;
  }
}

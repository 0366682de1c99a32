// Messages between two relays (A2C-10): JSON texts of at most 64 KiB. Frames travel beside them, in bundles (spec/relay.md).

import { z } from 'zod';
import { PublicKey } from './frames.ts';
import { PeerAddress, RelayName } from './peer-identities.ts';
import { Nonce, Ref, Signature, Signed } from './relay-messages.ts';

/** Relays name this protocol when they open a WebSocket; clients do not. */
export const lineProtocol = 'a2acp-line.1';
export const lineVersions = [1];
/** The path of the relay's document, below `https://` and its name. */
export const wellKnownPath = '/.well-known/parley-relay';

export const RelayDocument = z.object({
  v: z.literal(1),
  relay: RelayName,
  key: PublicKey,
  /** The address of the relay's WebSocket. */
  url: z.url({ protocol: /^wss?$/ }),
});
export type RelayDocument = z.output<typeof RelayDocument>;

/** A message of the relay that opened the line. */
export const CallerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), versions: z.array(z.int()).min(1).max(16), relay: RelayName, key: PublicKey, nonce: Nonce }),
  z.object({ type: z.literal('login'), signature: Signature }),
  z.object({ type: z.literal('lookup'), ref: Ref, address: PeerAddress, package: z.boolean() }),
]);
export type CallerMessage = z.output<typeof CallerMessage>;

export const LineAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('challenge'), version: z.int(), relay: RelayName, key: PublicKey, nonce: Nonce, signature: Signature }),
  z.object({ type: z.literal('ready') }),
  /** All frames up to this number are stored, except refused ones. */
  z.object({ type: z.literal('taken'), through: z.int().min(1) }),
  z.object({ type: z.literal('entry'), ref: Ref, ...Signed, package: z.string().max(8192).nullable(), last_resort: z.boolean() }),
  z.object({
    type: z.literal('refused'),
    code: z.string().max(64),
    message: z.string().max(1000),
    /** The number of the frame on this line. */
    number: z.int().min(1).optional(),
    ref: z.string().optional(),
    retry_after_ms: z.int().nonnegative().optional(),
  }),
  z.object({ type: z.literal('draining') }),
]);
export type LineAnswer = z.output<typeof LineAnswer>;

const lengthBytes = 4;
/** The limit of one binary message. */
export const mostBundleBytes = 512 * 1024;

export const bundledSize = (frame: Uint8Array): number => lengthBytes + frame.length;

/** Writes several frames into one binary message, each after its length in four bytes, big-endian. */
export function writeBundle(frames: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + bundledSize(frame), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const frame of frames) {
    view.setUint32(at, frame.length);
    bytes.set(frame, at + lengthBytes);
    at += bundledSize(frame);
  }
  return bytes;
}

/** Undefined if the lengths are wrong. */
export function readBundle(bytes: Uint8Array): Uint8Array[] | undefined {
  const frames: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    if (at + lengthBytes > bytes.length) return undefined;
    const end = at + lengthBytes + view.getUint32(at);
    if (end > bytes.length) return undefined;
    frames.push(bytes.subarray(at + lengthBytes, end));
    at = end;
  }
  return frames;
}

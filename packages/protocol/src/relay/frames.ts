// A frame carries one sealed packet through a relay (spec/relay.md). Its header is all that the relay reads; the body is opaque to it.
//
//   1 byte   kind: 1
//   2 bytes  length of the header, big-endian
//   n bytes  header, canonical JSON in UTF-8
//   m bytes  body
//   64 bytes Ed25519 signature by `from_key` over 'a2acp-frame/1', a zero byte, and everything before the signature

import { z } from 'zod';
import { PeerAddress, peerAddressForm } from './peer-identities.ts';
import { base64UrlForm, bytesOf, fromUtf8, joinBytes, utf8 } from './bytes.ts';
import { canonicalJson } from './signed-texts.ts';

export const frameVersion = 1;
export const signatureBytes = 64;
/** Body and MLS part together are padded to one of these sizes, so that a size says little. */
export const bodySizes = [2, 4, 8, 16, 32, 64, 72].map((kib) => kib * 1024);
export const mostBodyBytes = bodySizes.at(-1)!;
const mostHeaderBytes = 2048;
const prefixBytes = 3;
export const mostFrameBytes = prefixBytes + mostHeaderBytes + mostBodyBytes + signatureBytes;

/** Names one sealed packet. A packet that is sealed again keeps its inner id and gets a new outer one. */
const packetIdForm = 'pkt_[0-9A-Za-z]{8,40}';
export const PacketId = z.string().regex(new RegExp(`^${packetIdForm}$`), 'must be a packet id (pkt_…)');
export const PublicKey = bytesOf(32);

/** Who holds the identity now: the counter grows with every takeover, the id tells two holders of one counter apart (A2C-8). */
export const DeviceEpoch = z.strictObject({
  counter: z
    .int()
    .min(1)
    .max(2 ** 31),
  device: bytesOf(16),
});
export type DeviceEpoch = z.output<typeof DeviceEpoch>;

/** A login raises the counter by at most so much, so that one visit of a thief leaves room above it. */
export const mostEpochSteps = 1000;

/** Exactly the associated data of the sealed body. */
export const FrameHeader = z.strictObject({
  v: z.literal(frameVersion),
  packet_id: PacketId,
  from: PeerAddress,
  to: PeerAddress,
  from_key: PublicKey,
  to_key: PublicKey,
  epoch: DeviceEpoch,
  tag: bytesOf(16),
  sent_at: z.int().nonnegative(),
});
export type FrameHeader = z.output<typeof FrameHeader>;

export interface Frame {
  header: FrameHeader;
  /** As they travel: the associated data of the sealed body. */
  headerBytes: Uint8Array;
  body: Uint8Array;
  signature: Uint8Array;
}

/** Stands in front of what is signed. */
export const frameDomain = utf8('a2acp-frame/1\0');

/** The canonical text of a header. Its fields need no escapes, so a relay can write it for every frame at little cost. */
const headerText = ({ v, packet_id, from, to, from_key, to_key, epoch, tag, sent_at }: FrameHeader): string =>
  `{"epoch":{"counter":${epoch.counter},"device":"${epoch.device}"},"from":"${from}","from_key":"${from_key}","packet_id":"${packet_id}","sent_at":${sent_at},"tag":"${tag}","to":"${to}","to_key":"${to_key}","v":${v}}`;

const [key, short] = [base64UrlForm(32), base64UrlForm(16)];
const canonicalHeader = new RegExp(
  `^\\{"epoch":\\{"counter":([1-9]\\d{0,8}),"device":"(${short})"\\},"from":"(${peerAddressForm})","from_key":"(${key})","packet_id":"(${packetIdForm})","sent_at":(0|[1-9]\\d{0,14}),"tag":"(${short})","to":"(${peerAddressForm})","to_key":"(${key})","v":1\\}$`,
);

/** A relay reads one in every frame, so there is a short way for nearly all of them. Undefined: the schema decides, and says why. */
function headerIn(text: string): FrameHeader | undefined {
  const found = canonicalHeader.exec(text);
  if (!found) return undefined;
  const [, counter, device, from, from_key, packet_id, sentAt, tag, to, to_key] = found as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const epoch = { counter: Number(counter), device };
  return { v: 1, packet_id, from, to, from_key, to_key, epoch, tag, sent_at: Number(sentAt) };
}

/** Everything of a frame but its signature. */
export function unsignedFrame(header: FrameHeader, body: Uint8Array): Uint8Array {
  const text = utf8(headerText(header));
  return joinBytes(Uint8Array.of(1, text.length >> 8, text.length & 255), text, body);
}

export const frameToSign = (unsigned: Uint8Array): Uint8Array => joinBytes(frameDomain, unsigned);

/** What the signature of a whole frame is over. */
export const signedBytesOf = (frame: Uint8Array): Uint8Array => frameToSign(frame.subarray(0, -signatureBytes));

export class FrameError extends Error {}

/** Where the parts of a frame end. Throws a `FrameError`. */
function partsOf(bytes: Uint8Array): { headerEnd: number; bodyEnd: number } {
  if (bytes.length > mostFrameBytes) throw new FrameError(`A frame has at most ${mostFrameBytes} bytes; this one has ${bytes.length}.`);
  if (bytes[0] !== 1) throw new FrameError('The first byte of a packet frame is 1.');
  const headerEnd = prefixBytes + ((bytes[1]! << 8) | bytes[2]!);
  const bodyEnd = bytes.length - signatureBytes;
  if (bytes.length < prefixBytes + signatureBytes || headerEnd > bodyEnd)
    throw new FrameError('The frame is shorter than its header says.');
  if (bodyEnd - headerEnd > mostBodyBytes)
    throw new FrameError(`A body has at most ${mostBodyBytes} bytes; this one has ${bodyEnd - headerEnd}.`);
  return { headerEnd, bodyEnd };
}

/** Reads a frame and checks its form, not its signature. Throws a `FrameError`. */
export function readFrame(bytes: Uint8Array): Frame {
  const { headerEnd, bodyEnd } = partsOf(bytes);
  const headerBytes = bytes.subarray(prefixBytes, headerEnd);
  const body = bytes.subarray(headerEnd, bodyEnd);
  return { header: readHeader(headerBytes), headerBytes, body, signature: bytes.subarray(bodyEnd) };
}

/** The header alone, after the same checks. */
export const readFrameHeader = (bytes: Uint8Array): FrameHeader => readHeader(bytes.subarray(prefixBytes, partsOf(bytes).headerEnd));

function readHeader(bytes: Uint8Array): FrameHeader {
  if (bytes.length > mostHeaderBytes) throw new FrameError(`A header has at most ${mostHeaderBytes} bytes; this one has ${bytes.length}.`);
  let text: string;
  let value: unknown;
  try {
    text = fromUtf8(bytes);
    const known = headerIn(text);
    if (known) return known;
    value = JSON.parse(text);
  } catch {
    throw new FrameError('The header is not JSON in UTF-8.');
  }
  const header = FrameHeader.safeParse(value);
  if (!header.success) {
    const [problem] = header.error.issues;
    throw new FrameError(`The header's ${problem!.path.join('.') || 'form'} is wrong: ${problem!.message}.`);
  }
  // Two texts for one header would let a relay change what both ends authenticate.
  if (headerText(header.data) !== text) throw new FrameError('The header is not in canonical form.');
  return header.data;
}

//   1 byte   kind: 2
//   8 bytes  number of the delivery on this connection, big-endian, from 1
//   8 bytes  when the relay stored the frame, milliseconds since 1970, big-endian
//   n bytes  the frame as its sender signed it
const deliveryPrefix = 17;

export interface FrameDelivery {
  number: number;
  storedAt: number;
  frame: Uint8Array;
}

export const deliverySize = (frame: Uint8Array): number => deliveryPrefix + frame.length;

/** `bytes`: where to write it, `deliverySize` of them. */
export function writeDelivery(
  { number, storedAt, frame }: FrameDelivery,
  bytes: Uint8Array = new Uint8Array(deliverySize(frame)),
): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint8(0, 2);
  setSafeInteger(view, 1, number);
  setSafeInteger(view, 9, storedAt);
  bytes.set(frame, deliveryPrefix);
  return bytes;
}

/** In eight bytes. A relay writes two for each frame, and a BigInt takes longer. */
function setSafeInteger(view: DataView, at: number, value: number): void {
  view.setUint32(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 4, value >>> 0);
}

export function readDelivery(bytes: Uint8Array): FrameDelivery {
  if (bytes[0] !== 2 || bytes.length <= deliveryPrefix) throw new FrameError('The first byte of a delivery is 2.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { number: Number(view.getBigUint64(1)), storedAt: Number(view.getBigUint64(9)), frame: bytes.subarray(deliveryPrefix) };
}

// A relay's word to its own user that a packet it had stored did not reach another relay (A2C-10). It waits, comes and is acknowledged
// as a delivery does, in the place of a frame:
//
//   1 byte   kind: 3
//   n bytes  canonical JSON in UTF-8

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

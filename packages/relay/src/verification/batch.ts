// Frames on their way to the thread and back: one buffer for many, so that a message between threads costs little for each.
//
//   for each: 32 bytes key, 4 bytes length n, n bytes that were signed, 64 bytes signature
//
// The thread loads this file, so it imports nothing.

const keyBytes = 32;
const headBytes = keyBytes + 4;
const signatureBytes = 64;

export interface SignedBytes {
  /** An Ed25519 key that `publicKey` accepts. */
  key: Uint8Array;
  bytes: Uint8Array;
  signature: Uint8Array;
}

/** `domain` stands in front of the bytes that a frame's signature is over; the frame ends with the signature. */
export function writeBatch(domain: Uint8Array, items: readonly { key: Uint8Array; frame: Uint8Array }[]): Uint8Array<ArrayBuffer> {
  const size = items.reduce((sum, { frame }) => sum + frame.length, items.length * (headBytes + domain.length));
  const batch = new Uint8Array(size);
  const view = new DataView(batch.buffer);
  let at = 0;
  for (const { key, frame } of items) {
    batch.set(key, at);
    view.setUint32(at + keyBytes, domain.length + frame.length - signatureBytes);
    batch.set(domain, at + headBytes);
    batch.set(frame, at + headBytes + domain.length);
    at += headBytes + domain.length + frame.length;
  }
  return batch;
}

/** One byte per frame: 1 if its signature is valid. */
export function verdictsOn(batch: Uint8Array, verifies: (signed: SignedBytes) => boolean): Uint8Array {
  const verdicts: number[] = [];
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  for (let at = 0; at < batch.length;) {
    const bytesAt = at + headBytes;
    const signatureAt = bytesAt + view.getUint32(at + keyBytes);
    const end = signatureAt + signatureBytes;
    const [key, bytes] = [batch.subarray(at, at + keyBytes), batch.subarray(bytesAt, signatureAt)];
    verdicts.push(Number(verifies({ key, bytes, signature: batch.subarray(signatureAt, end) })));
    at = end;
  }
  return Uint8Array.from(verdicts);
}

// The vectors in spec/vectors/relay.json, for clients in other languages. `PARLEY_WRITE_VECTORS=1` writes them again.

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromBase64Url, joinBytes, toBase64Url } from './bytes.ts';
import { canonicalJson } from './canonical.ts';
import { type FrameHeader, frameToSign, readDelivery, readFrame, unsignedFrame, writeDelivery } from './frames.ts';
import { challengeToSign, loginToSign, registrationToSign, statementToSign } from './signed-texts.ts';

const path = new URL('../../../../spec/vectors/relay.json', import.meta.url);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A key from a seed of 32 equal bytes. */
function keyOf(fill: number) {
  const seed = Buffer.alloc(32, fill);
  const secret = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const open = createPublicKey(secret);
  return { seed: hex(seed), secret, open, public: toBase64Url(open.export({ format: 'der', type: 'spki' }).subarray(12)) };
}

function build() {
  const [relay, ann, bob] = [keyOf(1), keyOf(2), keyOf(3)];
  const greeting = {
    relay: 'relay.example',
    relay_key: relay.public,
    nonce: toBase64Url(new Uint8Array(32).fill(4)),
    client_nonce: toBase64Url(new Uint8Array(32).fill(5)),
  };
  const epoch = { counter: 1, device: toBase64Url(new Uint8Array(16).fill(6)) };
  const signedBy = (key: ReturnType<typeof keyOf>, bytes: Uint8Array) => ({
    to_sign: hex(bytes),
    signature: toBase64Url(sign(null, bytes, key.secret)),
  });
  const header: FrameHeader = {
    v: 1,
    packet_id: 'pkt_0123456789abcdef',
    from: 'agent:ann@relay.example',
    to: 'agent:bob@relay.example',
    from_key: ann.public,
    to_key: bob.public,
    epoch,
    tag: toBase64Url(new Uint8Array(16).fill(7)),
    sent_at: 1_800_000_000_000,
  };
  const unsigned = unsignedFrame(header, new Uint8Array([8, 9, 10]));
  const frame = joinBytes(unsigned, sign(null, frameToSign(unsigned), ann.secret));
  const address = header.from;
  const directory = canonicalJson({ v: 1, address, key: ann.public, epoch, version: 3, last_resort: 'bGFzdA' });
  const report = canonicalJson({ v: 1, from: address, about: header.to, reason: 'spam', at: 1_800_000_000_000 });
  return {
    keys: {
      relay: { seed: relay.seed, public: relay.public },
      ann: { seed: ann.seed, public: ann.public },
      bob: { seed: bob.seed, public: bob.public },
    },
    canonical: [
      { value: { b: 1, a: [true, null, 'é'], '€': 'a"b' }, text: canonicalJson({ b: 1, a: [true, null, 'é'], '€': 'a"b' }) },
      { value: {}, text: '{}' },
    ],
    challenge: { greeting, version: 1, ...signedBy(relay, challengeToSign(greeting, 1)) },
    login: { greeting, address, key: ann.public, epoch, ...signedBy(ann, loginToSign(greeting, { address, key: ann.public, epoch })) },
    register: {
      greeting,
      name: 'ann',
      code: 'c0de',
      email: null,
      key: ann.public,
      epoch,
      ...signedBy(ann, registrationToSign(greeting, { name: 'ann', code: 'c0de', key: ann.public, epoch })),
    },
    directory: { statement: directory, ...signedBy(ann, statementToSign('directory', directory)) },
    report: { statement: report, ...signedBy(ann, statementToSign('report', report)) },
    frame: { header, body: '08090a', to_sign: hex(frameToSign(unsigned)), bytes: hex(frame) },
    delivery: { number: 258, stored_at: 1_800_000_000_001, bytes: hex(writeDelivery({ number: 258, storedAt: 1_800_000_000_001, frame })) },
  };
}

it('[A2C-2] every signed text and frame is byte for byte as in the published vectors', () => {
  const built = build();
  if (process.env['PARLEY_WRITE_VECTORS'] === '1') writeFileSync(path, `${JSON.stringify(built, null, 2)}\n`);
  expect(built).toEqual(JSON.parse(readFileSync(path, 'utf8')));
});

it('[A2C-2] the published frame and delivery are read back, and their signatures fit', () => {
  const vectors = JSON.parse(readFileSync(path, 'utf8')) as ReturnType<typeof build>;
  const delivery = readDelivery(Buffer.from(vectors.delivery.bytes, 'hex'));
  expect(delivery).toMatchObject({ number: 258, storedAt: 1_800_000_000_001 });
  const frame = readFrame(delivery.frame);
  expect(frame.header).toEqual(vectors.frame.header);
  expect(hex(frame.body)).toBe('08090a');
  expect(verify(null, frame.signedBytes, keyOf(2).open, frame.signature)).toBe(true);
  expect(verify(null, Buffer.from(vectors.challenge.to_sign, 'hex'), keyOf(1).open, fromBase64Url(vectors.challenge.signature))).toBe(true);
});

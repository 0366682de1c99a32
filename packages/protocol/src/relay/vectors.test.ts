// The vectors in spec/vectors/relay.json, for clients in other languages. `PARLEY_WRITE_VECTORS=1` writes them again.

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromBase64Url, joinBytes, toBase64Url } from './bytes.ts';
import {
  canonicalJson,
  challengeToSign,
  lineChallengeToSign,
  type LineGreeting,
  lineLoginToSign,
  loginToSign,
  registrationToSign,
  statementToSign,
} from './signed-texts.ts';
import {
  type FrameHeader,
  frameToSign,
  readDelivery,
  readFrame,
  signedBytesOf,
  unsignedFrame,
  writeDelivery,
  readNotice,
  writeNotice,
} from './frames.ts';
import { readBundle, writeBundle } from './line-messages.ts';

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

/** Every encoding of a point of low order; the last bit may be set as well. */
const lowOrderKeys = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

/** The same signature with S plus the group order, which a careless verifier accepts as well. */
function malleable(signature: Uint8Array): string {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${hex(signature.slice(32).toReversed())}`) + order;
  const raised = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed();
  return toBase64Url(joinBytes(signature.slice(0, 32), raised));
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
  const other = keyOf(8);
  const lineGreeting: LineGreeting = {
    caller: 'relay.example',
    caller_key: relay.public,
    caller_nonce: toBase64Url(new Uint8Array(32).fill(9)),
    relay: 'other.example:8443',
    relay_key: other.public,
    nonce: toBase64Url(new Uint8Array(32).fill(10)),
  };
  const notice = {
    v: 1 as const,
    packet_id: header.packet_id,
    to: 'agent:cem@other.example:8443',
    code: 'unknown_address',
    message: 'The relay other.example:8443 refused it: “nobody”.',
  };
  const directory = canonicalJson({ v: 1, address, key: ann.public, epoch, version: 3, last_resort: 'bGFzdA' });
  const report = canonicalJson({ v: 1, from: address, about: header.to, reason: 'spam', at: 1_800_000_000_000 });
  return {
    keys: {
      relay: { seed: relay.seed, public: relay.public },
      ann: { seed: ann.seed, public: ann.public },
      bob: { seed: bob.seed, public: bob.public },
      other_relay: { seed: other.seed, public: other.public },
    },
    canonical: [
      { value: { b: 1, a: [true, null, 'é'], '€': 'a"b' }, text: canonicalJson({ b: 1, a: [true, null, 'é'], '€': 'a"b' }) },
      { value: {}, text: '{}' },
      // Control characters have short escapes where JSON knows one; keys sort by UTF-16 units, so a surrogate pair comes before U+FFFD.
      ...[{ text: 'a\u0000\b\t\n\f\r\u001f\u007f\u2028"\\/' }, { '\ufffd': 1, '\u{1f600}': 2, '': 3 }].map((value) => ({
        value,
        text: canonicalJson(value),
      })),
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
    register_with_email: {
      greeting,
      name: 'ann',
      code: 'c0de',
      email: 'ann@example.org',
      key: ann.public,
      epoch,
      ...signedBy(ann, registrationToSign(greeting, { name: 'ann', code: 'c0de', email: 'ann@example.org', key: ann.public, epoch })),
    },
    line: {
      greeting: lineGreeting,
      version: 1,
      challenge: signedBy(other, lineChallengeToSign(lineGreeting, 1)),
      login: signedBy(relay, lineLoginToSign(lineGreeting, 1)),
      bundle: { frames: [hex(frame), hex(frame)], bytes: hex(writeBundle([frame, frame])) },
    },
    notice: { ...notice, bytes: hex(writeNotice(notice)) },
    directory: { statement: directory, ...signedBy(ann, statementToSign('directory', directory)) },
    report: { statement: report, ...signedBy(ann, statementToSign('report', report)) },
    frame: { header, body: '08090a', to_sign: hex(frameToSign(unsigned)), bytes: hex(frame) },
    refused: {
      base64url: ['AA==', 'AB', 'A', '+/8', 'AA\n'],
      low_order_keys: lowOrderKeys.map((key) => toBase64Url(Buffer.from(key, 'hex'))),
      signatures: [
        { key: ann.public, to_sign: '00', signature: malleable(sign(null, Uint8Array.of(0), ann.secret)), why: 'S plus the group order' },
      ],
      headers: [
        { text: canonicalJson(header).replace('{', '{"v":1,'), why: 'a member twice' },
        { text: JSON.stringify(header), why: 'members in another order' },
        { text: canonicalJson({ ...header, more: 1 }), why: 'an unknown member' },
        { text: canonicalJson({ ...header, sent_at: 1 }).replace('"sent_at":1', '"sent_at":1.0'), why: 'a number in another form' },
      ],
    },
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
  expect(verify(null, signedBytesOf(delivery.frame), keyOf(2).open, frame.signature)).toBe(true);
  expect(verify(null, Buffer.from(vectors.challenge.to_sign, 'hex'), keyOf(1).open, fromBase64Url(vectors.challenge.signature))).toBe(true);
});

it('[A2C-10] the published bundle and notice are read back, and the signatures of the line fit', () => {
  const { line, notice } = JSON.parse(readFileSync(path, 'utf8')) as ReturnType<typeof build>;
  expect(readBundle(Buffer.from(line.bundle.bytes, 'hex'))!.map(hex)).toEqual(line.bundle.frames);
  const { bytes, ...content } = notice;
  expect(readNotice(Buffer.from(bytes, 'hex'))).toEqual(content);
  for (const [key, { to_sign, signature }] of [[keyOf(8), line.challenge] as const, [keyOf(1), line.login] as const])
    expect(verify(null, Buffer.from(to_sign, 'hex'), key.open, fromBase64Url(signature))).toBe(true);
  for (const bad of ['000000', '0000000501', '00000001']) expect(readBundle(Buffer.from(bad, 'hex')), bad).toBeUndefined();
  for (const bad of ['01', '03', '037b7d']) expect(readNotice(Buffer.from(bad, 'hex')), bad).toBeUndefined();
});

it('[A2C-2] every published bad form is refused', () => {
  const { refused } = JSON.parse(readFileSync(path, 'utf8')) as ReturnType<typeof build>;
  for (const text of refused.base64url) expect(() => fromBase64Url(text), text).toThrow();
  for (const { key, to_sign, signature, why } of refused.signatures) {
    const open = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    expect(verify(null, Buffer.from(to_sign, 'hex'), open, fromBase64Url(signature)), why).toBe(false);
  }
  for (const { text, why } of refused.headers) {
    const bytes = Buffer.from(text);
    const frame = joinBytes(Uint8Array.of(1, bytes.length >> 8, bytes.length & 255), bytes, new Uint8Array(64));
    expect(() => readFrame(frame), why).toThrow('The header');
  }
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, fromBase64Url, toBase64Url } from './bytes.ts';
import { canonicalJson } from './signed-texts.ts';
import { FrameHeader, mostBodyBytes, mostFrameBytes, readFrame, unsignedFrame } from './frames.ts';
import { PeerAddress } from './peer-identities.ts';

const header: FrameHeader = {
  v: 1,
  packet_id: 'pkt_0123456789',
  from: 'agent:ann@localhost',
  to: 'agent:bob@relay.example:7450',
  from_key: toBase64Url(new Uint8Array(32)),
  to_key: toBase64Url(new Uint8Array(32)),
  epoch: { counter: 1, device: toBase64Url(new Uint8Array(16)) },
  tag: toBase64Url(new Uint8Array(16)),
  sent_at: 0,
};
function framed(text: string, body = new Uint8Array(0)): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return Uint8Array.of(1, bytes.length >> 8, bytes.length & 255, ...bytes, ...body, ...new Uint8Array(64));
}

/** Undefined where the schema or the canonical form refuses it. */
function bySchema(text: string): FrameHeader | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const { data } = FrameHeader.safeParse(value);
    return data && canonicalJson(data) === text ? data : undefined;
  } catch {
    return undefined;
  }
}

function isFormOf(length: number, text: string): boolean {
  try {
    return fromBase64Url(text).length === length;
  } catch {
    return false;
  }
}

describe('[A2C-2] frames', () => {
  it('come back as they were written, whatever the body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4096 }), (body) => {
        const frame = readFrame(Uint8Array.of(...unsignedFrame(header, body), ...new Uint8Array(64)));
        expect(frame.header).toEqual(header);
        expect(Buffer.compare(frame.body, body)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('have a header in canonical form', () => {
    const text = canonicalJson(header);
    expect(new TextDecoder().decode(unsignedFrame(header, new Uint8Array(0)).subarray(3))).toBe(text);
  });

  it('are read alike by the pattern and by the schema, whatever is changed in the header', () => {
    const parts = [
      canonicalJson(header),
      '"',
      '{',
      '\\\\',
      ',',
      ':',
      '0',
      '9',
      '00',
      '-',
      '.',
      '@',
      'agent:',
      'é',
      '\n',
      '}',
      '1e3',
      '99999999999999999',
    ];
    let accepted = 0;
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 3 }), fc.constantFrom(...parts), (place, removed, part) => {
        const text = canonicalJson({ ...header, sent_at: 1_800_000_000_000, epoch: { ...header.epoch, counter: 12 } });
        const at = place % text.length;
        const changed = text.slice(0, at) + part + text.slice(at + removed);
        const expected = bySchema(changed);
        if (expected) accepted += 1;
        const read = (): unknown => readFrame(framed(changed)).header;
        if (expected) expect(read()).toEqual(expected);
        else expect(read).toThrow();
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it('throw nothing but a FrameError on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        bytes[0] = 1;
        expect(() => readFrame(bytes)).toThrow(expect.objectContaining({ constructor: expect.objectContaining({ name: 'FrameError' }) }));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['another kind', Uint8Array.of(3, 0, 0, ...new Uint8Array(64)), 'The first byte of a packet frame is 1.'],
    ['a header that is longer than the frame', Uint8Array.of(1, 9, 9, ...new Uint8Array(80)), 'The frame is shorter than its header says.'],
    ['no room for a signature', Uint8Array.of(1, 0, 0), 'The frame is shorter than its header says.'],
    ['a header that is no JSON', framed('{'), 'The header is not JSON in UTF-8.'],
    ['an unknown field', framed(canonicalJson({ ...header, more: 1 })), "The header's form is wrong"],
    ['a version to come', framed(canonicalJson({ ...header, v: 2 })), "The header's v is wrong"],
    ['an upper-case name', framed(canonicalJson({ ...header, from: 'agent:Ann@localhost' })), "The header's from is wrong"],
    ['a short key', framed(canonicalJson({ ...header, from_key: 'AAAA' })), "The header's from_key is wrong"],
    ['spaces', framed(JSON.stringify(header, null, 1)), 'The header is not in canonical form.'],
    ['keys in another order', framed(JSON.stringify(header)), 'The header is not in canonical form.'],
    ['a body that is too large', framed(canonicalJson(header), new Uint8Array(mostBodyBytes + 1)), 'A body has at most'],
    ['far too many bytes', new Uint8Array(mostFrameBytes + 1), 'A frame has at most'],
  ])('are refused with %s', (_what, bytes, message) => {
    expect(() => readFrame(bytes)).toThrow(message);
  });
});

describe('[A2C-1] addresses', () => {
  it.each(['agent:ann@localhost', 'agent:a@b', 'agent:ann.b-c_d@relay.example:7450'])('%s is one', (text) => {
    expect(PeerAddress.safeParse(text).success).toBe(true);
  });
  it.each([
    'ann@localhost',
    'agent:@x',
    'agent:ann@',
    'agent:Ann@x',
    'agent:ann@X',
    'agent:аnn@x',
    'agent:.a@x',
    'agent:a@x@y',
    'agent:a\n@x',
    `agent:${'a'.repeat(33)}@x`,
    `agent:a@${'a'.repeat(254)}`,
    'agent:a@x\n',
  ])('%j is none', (text) => {
    expect(PeerAddress.safeParse(text).success).toBe(false);
  });
});

describe('[A2C-2] canonical texts', () => {
  it('sort keys by their UTF-16 units and know integers only', () => {
    expect(canonicalJson({ '€': 1, a: { z: null, b: [-0, 2 ** 53 - 1] }, '\u{1f600}': 'x' })).toBe(
      '{"a":{"b":[0,9007199254740991],"z":null},"€":1,"😀":"x"}',
    );
    expect(() => canonicalJson(1.5)).toThrow('1.5 is not a whole number');
    expect(() => canonicalJson('\ud800')).toThrow('half a surrogate pair');
  });

  it('a pattern accepts exactly the base64url of so many bytes', () => {
    const accepts = (length: number, text: string): boolean => bytesOf(length).safeParse(text).success;
    for (const length of [1, 2, 3, 16, 32, 64])
      fc.assert(
        fc.property(fc.uint8Array({ minLength: length, maxLength: length }), fc.nat(), (bytes, n) => {
          const text = toBase64Url(bytes);
          expect(accepts(length, text)).toBe(true);
          expect(accepts(length, `${text}\n`) || accepts(length + 1, text)).toBe(false);
          const other = `${text.slice(0, -1)}${'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+=.'[n % 67]}`;
          expect(accepts(length, other)).toBe(isFormOf(length, other));
        }),
        { numRuns: 200 },
      );
  });

  it('base64url has one form', () => {
    expect(toBase64Url(fromBase64Url('-_8'))).toBe('-_8');
    for (const bad of ['-_9', '+/8', '-_8=', 'A']) expect(() => fromBase64Url(bad)).toThrow();
  });
});

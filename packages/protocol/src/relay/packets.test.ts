// The packets in spec/vectors/packets.json, which other implementations read as well.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mostNeeds, ownFormatHints } from './packet-fields.ts';
import { levelsOf, readPacket, writePacket } from './packet-reading.ts';
import { commonVersion, ownCapabilities, Packet, sealSuites } from './packets.ts';
import { durationMs, proposalHash, proposalText } from './proposals.ts';

interface Vectors {
  valid: { name: string; packet: Record<string, unknown>; handled_as: string }[];
  invalid: { name: string; packet: unknown; field?: string }[];
  versions: { ours: string[]; theirs: string[]; used: string }[];
  proposals: { name: string; packet: Record<string, unknown>; text: string; hash: string }[];
}
const vectors = JSON.parse(readFileSync(new URL('../../../../spec/vectors/packets.json', import.meta.url), 'utf8')) as Vectors;
const { packet: first } = vectors.valid[0]!;

describe('packets', () => {
  it.each(vectors.valid)('[A2C-12] [A2C-13] $name', ({ packet, handled_as: as }) => {
    expect(readPacket(JSON.stringify(packet))).toMatchObject({ ok: true, as, packet });
    expect(writePacket(packet)).toMatchObject({ ok: true, text: JSON.stringify(packet) });
  });

  it.each(vectors.invalid)('[A2C-12] [A2C-13] $name is refused by the name of its field', ({ packet, field }) => {
    expect(readPacket(JSON.stringify(packet))).toMatchObject({ ok: false, field: field ?? expect.any(String) });
  });

  it.each(vectors.versions)('[A2C-14] of $ours and $theirs, $used is used', ({ ours, theirs, used }) => {
    expect(commonVersion(theirs, ours)).toBe(used);
  });

  it('[A2C-13] a type is a plain word', () => {
    for (const type of ['a type', '\u001b[2J', 'x\u202e', '']) expect(Packet.safeParse({ ...first, type }).success).toBe(false);
  });

  it('[A2C-14] the handshake announces the suite by both names', () => {
    expect(sealSuites).toEqual(['x25519-xchacha20-poly1305', 'mls10-x25519-xchacha20-poly1305']);
    expect(ownCapabilities).toMatchObject({ supported_encryption: sealSuites, supported_versions: ['0.1', '0.2'] });
  });

  it('[A2C-12] hints guide the reader: a value in another form is no error', () => {
    const packet = { ...first, _format_hints: ownFormatHints, context: { date: 'next Friday' }, permissions: { shared_fields: ['date'] } };
    expect(readPacket(JSON.stringify(packet))).toMatchObject({ ok: true });
  });

  it('[A2C-12] [A2C-17] the limits say what would be right', () => {
    const needs = Array.from({ length: mostNeeds + 1 }, (_, n) => ({ field: `field_${n}`, priority: 'helpful' }));
    expect(writePacket({ ...first, needs })).toMatchObject({ field: 'needs', problem: 'must be at most 5 entries' });
    const provided = { ...first, context: {}, permissions: { shared_fields: [] }, context_provided: { long: 'é'.repeat(500) } };
    expect(writePacket(provided, 1024)).toMatchObject({ ok: true });
    expect(writePacket({ ...provided, context_provided: { long: 'é'.repeat(600) } }, 1024)).toEqual({
      ok: false,
      field: 'context_provided',
      problem: 'makes the packet 1213 bytes large; the receiver takes at most 1024',
    });
    const most = { ...first, context: { a: 'x'.repeat(65_536 - '{"a":""}'.length) }, permissions: { shared_fields: ['a'] } };
    expect(writePacket(most)).toMatchObject({ ok: true });
    expect(writePacket({ ...most, context_provided: {} })).toMatchObject({ ok: false, field: 'context' });
  });
});

describe('malformed input', () => {
  it('[A2C-9] brackets in strings are no levels', () => {
    expect(levelsOf('{"a\\"[{":[[],{"b":"\\\\"}]}')).toBe(3);
  });

  it('[A2C-36] nesting of 100,000 levels, circles and values that JSON cannot write are problems, not throws', () => {
    const deepText = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const circle: Record<string, unknown> = { ...first };
    circle['context'] = circle;
    const problem = { ok: false, field: '(packet)', problem: 'nests more than 64 levels deep' };
    expect(readPacket(`{"context":${deepText}}`)).toEqual(problem);
    expect(readPacket(deepText.slice(0, 100_000))).toEqual(problem);
    expect(writePacket({ ...first, context: { deep } })).toEqual(problem);
    expect(writePacket(circle)).toEqual(problem);
    expect(writePacket({ ...first, context: { n: 1n } })).toMatchObject({ ok: false, field: '(packet)' });
  });

  it.each(['', 'null', '7', '"x"', '[]', '{', '{"type":', '\u0000', '{"__proto__":{"type":"context"}}', '{"packet_id":{}}'])(
    '[A2C-36] %j is a problem, not a throw',
    (text) => {
      expect(readPacket(text)).toMatchObject({ ok: false });
    },
  );
});

/** Every place in a value, as a path of keys. */
const placesIn = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key]))]
    : [path];
function replaceAt(value: unknown, [key, ...rest]: string[], put: (old: unknown) => unknown): unknown {
  if (key === undefined) return put(value);
  const changed = replaceAt((value as Record<string, unknown>)[key], rest, put);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...(value as object), [key]: changed };
}

describe('every place of every published packet', () => {
  const junk: unknown[] = [
    undefined,
    null,
    true,
    -1,
    1.5,
    1e300,
    '',
    'x'.repeat(3000),
    '\ud800',
    [],
    [[]],
    {},
    { toString: 1 },
    'agent:',
    'P',
  ];

  it.each(vectors.valid)('[A2C-36] $name: junk in a place is taken or named, and nothing throws', ({ packet }) => {
    for (const path of placesIn(packet))
      for (const value of junk) {
        const read = readPacket(JSON.stringify(replaceAt(packet, path, () => value)) ?? '');
        expect(read.ok || (read.field !== '' && read.problem !== ''), path.join('.')).toBe(true);
      }
  });

  it.each(vectors.valid)('[A2C-13] $name: an unknown member is kept wherever an object is', ({ packet }) => {
    const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
    for (const path of placesIn(packet)) {
      // A key of the context is shared, so permissions would have to name it.
      if (path.join('.') === 'context' && 'permissions' in packet) continue;
      const more = replaceAt(packet, path, (old) => (isObject(old) ? { ...(old as object), later_version: 'x' } : old));
      expect(readPacket(JSON.stringify(more)), path.join('.')).toMatchObject({ ok: true, packet: more });
    }
  });
});

describe('proposals', () => {
  it.each(vectors.proposals)('[A2C-28] the canonical form: $name', ({ packet, text }) => {
    expect(proposalText(packet)).toBe(text);
    const read = readPacket(JSON.stringify(packet));
    expect(read.ok && proposalText(read.packet)).toBe(text);
  });

  it('[A2C-28] the hash is over the purpose and the canonical form', () => {
    let hashed = new Uint8Array();
    const { packet, text } = vectors.proposals[0]!;
    const hash = proposalHash(packet, (bytes) => {
      hashed = Uint8Array.from(bytes);
      return new Uint8Array(32);
    });
    expect([new TextDecoder().decode(hashed), hash]).toEqual([`a2acp-proposal/1\0${text}`, 'A'.repeat(43)]);
  });

  it('[A2C-28] of all published proposals only a copy has the hash of another', () => {
    const [one, copy, ...others] = vectors.proposals.map(({ hash }) => hash);
    expect(copy).toBe(one);
    expect(new Set([one, ...others]).size).toBe(others.length + 1);
  });

  it.each([
    ['PT24H', 86_400_000],
    ['P2DT30M', 174_600_000],
    ['PT90S', 90_000],
    ['P7D', 604_800_000],
  ])('[A2C-26] %s is %d ms', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });
});

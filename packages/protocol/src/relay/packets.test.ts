// The packets in spec/vectors/packets.json, which other implementations read as well.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commonVersion, levelsOf, ownCapabilities, Packet, packetTypeOf, sealSuites } from './packets.ts';

interface Vectors {
  valid: { name: string; packet: Record<string, unknown>; handled_as: string }[];
  invalid: { name: string; packet: unknown }[];
  versions: { ours: string[]; theirs: string[]; used: string }[];
}
const vectors = JSON.parse(readFileSync(new URL('../../../../spec/vectors/packets.json', import.meta.url), 'utf8')) as Vectors;

describe('packets', () => {
  it.each(vectors.valid)('[A2C-13] $name', ({ packet, handled_as: handledAs }) => {
    const read = Packet.parse(packet);
    expect(read).toMatchObject(packet);
    expect(packetTypeOf(read)).toBe(handledAs);
  });

  it.each(vectors.invalid)('[A2C-13] $name is refused', ({ packet }) => {
    expect(Packet.safeParse(packet).success).toBe(false);
  });

  it.each(vectors.versions)('[A2C-14] of $ours and $theirs, $used is used', ({ ours, theirs, used }) => {
    expect(commonVersion(theirs, ours)).toBe(used);
  });

  it('[A2C-13] a type is a plain word', () => {
    const { packet } = vectors.valid[0]!;
    for (const type of ['a type', '\u001b[2J', 'x\u202e', '']) expect(Packet.safeParse({ ...packet, type }).success).toBe(false);
  });

  it('[A2C-9] brackets in strings are no levels', () => {
    expect(levelsOf('{"a\\"[{":[[],{"b":"\\\\"}]}')).toBe(3);
  });

  it('[A2C-14] the handshake announces the suite by both names', () => {
    expect(sealSuites).toEqual(['x25519-xchacha20-poly1305', 'mls10-x25519-xchacha20-poly1305']);
    expect(ownCapabilities).toMatchObject({ supported_encryption: sealSuites, supported_versions: ['0.1', '0.2'] });
  });
});

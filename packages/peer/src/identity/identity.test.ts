import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FrameHeader, fromBase64Url, toBase64Url, utf8 } from '@parley/protocol/relay';
import type { OwnIdentity, PinnedPeer } from '../seal/parties.ts';
import { newSigningKey } from '../seal/sodium.ts';
import { readCard, writeCard, fingerprint, safetyNumber } from './cards-and-safety-numbers.ts';
import { signFrame, trustFrame } from './signed-frames.ts';

const device = (fill: number): string => toBase64Url(new Uint8Array(16).fill(fill));
const person = (name: string): OwnIdentity => ({
  address: `agent:${name}@localhost`,
  key: newSigningKey(),
  epoch: { counter: 2, device: device(1) },
});
const pinned = ({ address, key, epoch }: OwnIdentity): PinnedPeer => ({ address, key: key.public, epoch });
const [ann, bob, eve] = [person('ann'), person('bob'), person('eve')];

interface Vectors {
  people: { address: string; key: string; relay: string; card: string; fingerprint: string }[];
  safety_number: string;
}
const vectors = JSON.parse(readFileSync(new URL('../../../../spec/vectors/identity.json', import.meta.url), 'utf8')) as Vectors;

it('[A2C-4] cards, fingerprints and safety numbers are those of spec/identity.md', () => {
  for (const { card, fingerprint: digits, address, key, relay } of vectors.people) {
    expect(writeCard({ address, key, relay })).toBe(card);
    expect(fingerprint({ address, key: fromBase64Url(key) })).toBe(digits);
  }
  const [one, other] = vectors.people.map(({ address, key }) => ({ address, key: fromBase64Url(key) }));
  expect(safetyNumber(one!, other!)).toBe(vectors.safety_number);
});

describe('contact cards', () => {
  const card = { address: ann.address, key: toBase64Url(ann.key.public), relay: 'ws://127.0.0.1:7450' };

  it('[A2C-4] carry address, key and relay as one word', () => {
    const word = writeCard(card);
    expect(word).toMatch(/^a2acp1\.[\w-]+\.[\w-]+$/);
    expect(readCard(` ${word}\n`)).toEqual(card);
  });

  it('[A2C-4] that lost or changed a letter are refused', () => {
    const word = writeCard(card);
    for (let at = 0; at < word.length; at += 1) {
      const other = word[at] === 'A' ? 'B' : 'A';
      expect(() => readCard(word.slice(0, at) + other + word.slice(at + 1)), `letter ${at}`).toThrow(/contact card/);
      expect(() => readCard(word.slice(0, at) + word.slice(at + 1)), `without letter ${at}`).toThrow(/contact card/);
    }
    for (const text of ['', 'hello', 'a2acp1.', 'a2acp1.e30.AAAA']) expect(() => readCard(text)).toThrow(/contact card/);
  });
});

describe('safety numbers', () => {
  it('[A2C-4] are the same for both, and others for another key or address', () => {
    const number = safetyNumber(pinned(ann), pinned(bob));
    expect(number).toMatch(/^(?:\d{5} ){11}\d{5}$/);
    expect(safetyNumber(pinned(bob), pinned(ann))).toBe(number);
    expect(safetyNumber(pinned(ann), { ...pinned(bob), key: eve.key.public })).not.toBe(number);
    expect(safetyNumber(pinned(ann), { ...pinned(bob), address: eve.address })).not.toBe(number);
  });
});

describe('frames', () => {
  const headerOf = (from: OwnIdentity, change: Partial<FrameHeader> = {}): FrameHeader => ({
    v: 1,
    packet_id: 'pkt_0123456789',
    from: from.address,
    to: bob.address,
    from_key: toBase64Url(from.key.public),
    to_key: toBase64Url(bob.key.public),
    epoch: from.epoch,
    tag: device(9),
    sent_at: 0,
    ...change,
  });
  const known = (address: string): PinnedPeer | undefined => (address === ann.address ? pinned(ann) : undefined);
  const body = utf8('sealed');

  it('[A2C-2] of a pinned peer are trusted', () => {
    expect(trustFrame(bob, signFrame(ann, headerOf(ann), body), known)).toMatchObject({ header: headerOf(ann) });
    const later = headerOf(ann, { epoch: { counter: 3, device: device(2) } });
    expect(trustFrame(bob, signFrame(ann, later, body), known)).toMatchObject({ header: later });
  });

  it.each<[string, Uint8Array, string]>([
    ['rubbish', utf8('rubbish'), 'bad_form'],
    ['to somebody else', signFrame(ann, headerOf(ann, { to: eve.address }), body), 'not_for_us'],
    ['to an earlier key', signFrame(ann, headerOf(ann, { to_key: toBase64Url(eve.key.public) }), body), 'not_for_us'],
    ['from a stranger', signFrame(eve, headerOf(eve), body), 'unknown_sender'],
    ['with the address of another', signFrame(eve, headerOf(eve, { from: ann.address }), body), 'key_changed'],
    ['signed with another key', signFrame(eve, headerOf(ann), body), 'bad_signature'],
    ['of an older device', signFrame(ann, headerOf(ann, { epoch: { counter: 1, device: device(1) } }), body), 'old_epoch'],
    ['of a forked device', signFrame(ann, headerOf(ann, { epoch: { counter: 2, device: device(3) } }), body), 'epoch_fork'],
  ])('[A2C-2] [A2C-4] [A2C-8] %s are not', (_what, bytes, doubt) => {
    expect(trustFrame(bob, bytes, known)).toEqual({ doubt });
  });

  it('[A2C-2] with one flipped bit are not', () => {
    const frame = signFrame(ann, headerOf(ann), body);
    for (let at = 0; at < frame.length; at += 1) {
      const changed = frame.slice();
      changed[at]! ^= 0x10;
      expect(trustFrame(bob, changed, known), `byte ${at}`).toHaveProperty('doubt');
    }
  });
});

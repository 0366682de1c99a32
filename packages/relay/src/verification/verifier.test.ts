import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { signatureBytes, signedBytesOf, toBase64Url } from '@parley/protocol/relay';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type PublicKey, publicKey, verifies } from '../signatures.ts';
import { verdictsOn, writeBatch } from './batch.ts';
import { sodiumVerifier } from './sodium.ts';
import { Verifier } from './verifier.ts';

interface Case {
  why?: string;
  key: string;
  msg: string;
  sig: string;
  valid: boolean;
}
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));
const { tests: wycheproof } = read('spec/vectors/wycheproof/ed25519.json') as { tests: Case[] };
const edges = read('packages/relay/test/fixtures/ed25519-edges.json') as Case[];

/** Undefined where the relay takes no such key. */
function keyOf(hex: string): PublicKey | undefined {
  try {
    return publicKey(toBase64Url(Buffer.from(hex, 'hex')));
  } catch {
    return undefined;
  }
}

describe('[A2C-2] libsodium and node:crypto', () => {
  test.for([
    { name: 'Wycheproof', cases: wycheproof, least: 100 },
    { name: 'keys, commitments and scalars at the edges', cases: edges, least: 40 },
  ])('say the same of $name', ({ cases, least }) => {
    const bySodium = sodiumVerifier();
    const said = cases.flatMap(({ why, key: hex, msg, sig, valid }) => {
      const [key, bytes, signature] = [keyOf(hex), Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex')];
      if (!key || signature.length !== signatureBytes) return [];
      const verdicts = [valid, verifies(key, bytes, signature), bySodium({ key: key.raw, bytes, signature })];
      return [{ why, verdicts, isOne: new Set(verdicts).size === 1 }];
    });
    expect(said.filter(({ isOne }) => !isOne)).toEqual([]);
    expect(said.length).toBeGreaterThan(least);
    expect(new Set(said.map(({ verdicts }) => verdicts[0])).size).toBe(2);
  });
});

const { publicKey: open, privateKey } = generateKeyPairSync('ed25519');
const key = publicKey(open.export({ format: 'jwk' }).x!);

/** Every third is damaged, each in another place. */
const frames = Array.from({ length: 300 }, (_, n) => {
  const unsigned = Buffer.from(`frame ${n} ${'x'.repeat(n)}`);
  const signature = sign(null, signedBytesOf(Buffer.concat([unsigned, Buffer.alloc(signatureBytes)])), privateKey);
  const bytes = Buffer.concat([unsigned, signature]);
  if (n % 3 === 0) bytes[(n * 7) % bytes.length]! ^= 1 << (n % 8);
  return { bytes, isValid: n % 3 !== 0 };
});
const expected = frames.map(({ isValid }) => isValid);

const verdictsBy = (verifier: Verifier): Promise<boolean[]> =>
  Promise.all(frames.map(({ bytes }) => new Promise<boolean>((resolve) => verifier.verify(key, bytes, resolve))));

const threadsOf = (verifier: Verifier): { isReady: boolean; worker: Worker }[] =>
  (verifier as unknown as { threads: { isReady: boolean; worker: Worker }[] }).threads;

test('[A2C-2] frames are verified alike before the thread is ready, by it, and when it dies in the middle', async () => {
  const verifier = new Verifier();
  onTestFinished(() => verifier.close());
  expect(await verdictsBy(verifier)).toEqual(expected);
  await expect.poll(() => threadsOf(verifier).every(({ isReady }) => isReady)).toBe(true);
  expect(threadsOf(verifier).length).toBeGreaterThan(0);
  expect(await verdictsBy(verifier)).toEqual(expected);
  const verdicts = verdictsBy(verifier);
  await new Promise((resolve) => setImmediate(resolve));
  for (const { worker } of threadsOf(verifier)) void worker.terminate();
  expect(await verdicts).toEqual(expected);
});

test('[A2C-2] a few frames at a time start no thread', async () => {
  const verifier = new Verifier();
  for (const { bytes, isValid } of frames.slice(0, 60))
    expect(await new Promise((resolve) => verifier.verify(key, bytes, resolve))).toBe(isValid);
  expect(threadsOf(verifier)).toEqual([]);
});

test('[A2C-2] a batch keeps frames of any length apart', () => {
  const lengths: [number, number][] = [];
  const batch = writeBatch(
    Buffer.from('domain'),
    [signatureBytes, signatureBytes + 1, 5000].map((length) => ({ key: key.raw, frame: new Uint8Array(length).fill(length % 251) })),
  );
  const verdicts = verdictsOn(batch, ({ bytes, signature }) => {
    lengths.push([bytes.length, signature.length]);
    return bytes.length === 7 && signature.every((byte) => byte === (signatureBytes + 1) % 251);
  });
  expect(lengths).toEqual([6, 7, 5006 - signatureBytes].map((length) => [length, signatureBytes]));
  expect([...verdicts]).toEqual([0, 1, 0]);
});

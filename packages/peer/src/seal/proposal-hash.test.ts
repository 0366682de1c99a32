import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { proposalHash } from '@parley/protocol/relay';
import { hashOf } from './sodium.ts';

const { proposals } = JSON.parse(readFileSync(new URL('../../../../spec/vectors/packets.json', import.meta.url), 'utf8')) as {
  proposals: { name: string; packet: Record<string, unknown>; hash: string }[];
};

it.each(proposals)('[A2C-28] the hash of a proposal: $name', ({ packet, hash }) => {
  expect(proposalHash(packet, hashOf)).toBe(hash);
});

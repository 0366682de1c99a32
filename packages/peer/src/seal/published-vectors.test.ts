import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  bodySizes,
  canonicalJson,
  type DeviceEpoch,
  type FrameHeader,
  fromUtf8,
  joinBytes,
  toBase64Url,
  utf8,
} from '@parley/protocol/relay';
import { decodeMlsMessage } from 'ts-mls';
import { credentialOf, type Parties } from './parties.ts';
import { readBody } from './sealed-body.ts';
import { groupOf, join, open, packageNamedIn, tagFor } from './session.ts';
import { hashOf, newSigningKey } from './sodium.ts';

interface Vectors {
  credential: { address: string; epoch: DeviceEpoch; identity: string };
  tags: { secret: string; thread_id: string; tag: string }[];
  session: {
    creator: { address: string; key: string; epoch: DeviceEpoch };
    joiner: { address: string; seed: string; epoch: DeviceEpoch };
    key_package: { bytes: string; reference: string; init_secret: string; encryption_secret: string };
    group_id: string;
    tag_secrets: { creator: string; joiner: string };
    packets: { header: FrameHeader; text: string; body: string }[];
  };
}
const vectors = JSON.parse(readFileSync(new URL('../../../../spec/vectors/sealing.json', import.meta.url), 'utf8')) as Vectors;
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (from: Uint8Array): string => Buffer.from(from).toString('hex');

it('[A2C-4] the credential is that of spec/sealing.md', () => {
  const { address, epoch, identity } = vectors.credential;
  expect(credentialOf(address, epoch)).toEqual({ credentialType: 'basic', identity: utf8(identity) });
});

it.each(vectors.tags)('[A2C-6] the tag of $thread_id', ({ secret, thread_id: id, tag }) => {
  expect(toBase64Url(tagFor(bytes(secret), id))).toBe(tag);
});

it('[A2C-3] the published session is joined, and its packets open to their texts', async () => {
  const { creator, joiner, key_package: offered, group_id: group, tag_secrets: tags, packets } = vectors.session;
  const parties: Parties = {
    own: { address: joiner.address, epoch: joiner.epoch, key: newSigningKey(bytes(joiner.seed)) },
    peer: { address: creator.address, epoch: creator.epoch, key: bytes(creator.key) },
  };
  const secrets = {
    reference: bytes(offered.reference),
    package: bytes(offered.bytes),
    initSecret: bytes(offered.init_secret),
    encryptionSecret: bytes(offered.encryption_secret),
    expiresAt: 0,
  };
  expect(hex(packageNamedIn(bytes(packets[0]!.body))!)).toBe(offered.reference);
  let session = await join(parties, secrets, bytes(packets[0]!.body));
  expect([hex(session.tagSecrets.receiving), hex(session.tagSecrets.sending)]).toEqual([tags.creator, tags.joiner]);
  for (const { header, text, body } of packets) {
    const opened = await open(session, parties, { headerBytes: utf8(canonicalJson(header)), body: bytes(body) }, 1_800_000_000_000);
    expect([fromUtf8(opened.text), hex(groupOf(bytes(body)))]).toEqual([text, group]);
    session = opened.session;
  }
});

it('[A2C-3] a published body has the sizes and the hash of spec/sealing.md', () => {
  for (const { body } of vectors.session.packets) {
    const { messages, box } = readBody(bytes(body));
    const carrier = decodeMlsMessage(messages.at(-1)!, 0)![0];
    expect(bodySizes).toContain(bytes(body).length);
    expect(carrier).toMatchObject({
      wireformat: 'mls_private_message',
      privateMessage: { authenticatedData: hashOf(joinBytes(...messages.slice(0, -1), box)) },
    });
  }
});

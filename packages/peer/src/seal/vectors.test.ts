// The published answers of others, given to the functions that sealing really calls (spec/vectors: Wycheproof, RFC 9420).

import { createCipheriv, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromBase64Url, joinBytes, utf8 } from '@parley/protocol/relay';
import { acceptAll, decodeMlsMessage, emptyPskIndex, joinGroup, type MLSMessage, mlsExporter, processMessage } from 'ts-mls';
import { encodeCommit } from 'ts-mls/commit.js';
import { decodeGroupContext, extractJoinerSecret } from 'ts-mls/groupContext.js';
import { decodeKeyPackage, makeKeyPackageRef } from 'ts-mls/keyPackage.js';
import { initializeEpoch } from 'ts-mls/keySchedule.js';
import { protectApplicationData, unprotectPrivateMessage } from 'ts-mls/messageProtection.js';
import { decodeRatchetTree } from 'ts-mls/ratchetTree.js';
import { createSecretTree, ratchetToGeneration } from 'ts-mls/secretTree.js';
import { expandSenderDataKey, expandSenderDataNonce, type ReuseGuard } from 'ts-mls/sender.js';
import { decryptGroupSecrets } from 'ts-mls/welcome.js';
import { readKeyPackage } from './key-packages.ts';
import { closeBox, newSigningKey, openBox, signBytes, verifies } from './sodium.ts';
import { suite } from './suite.ts';

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../../../spec/vectors/${name}`, import.meta.url), 'utf8'));
const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

interface Case {
  tcId: number;
  flags: string;
}

describe('Ed25519 of Wycheproof', () => {
  const { tests } = read('wycheproof/ed25519.json') as { tests: (Case & { key: string; msg: string; sig: string; valid: boolean })[] };

  it('[A2C-2] verifies what is valid and nothing else', () => {
    const answers = tests.map(({ tcId, key, msg, sig }) => [tcId, verifies(bytes(key), bytes(msg), bytes(sig))]);
    expect(answers).toEqual(tests.map(({ tcId, valid }) => [tcId, valid]));
  });

  it('[A2C-2] the suite of sessions verifies with the same function', async () => {
    for (const { tcId, key, msg, sig, valid } of tests)
      expect(await suite.signature.verify(bytes(key), bytes(msg), bytes(sig)), `case ${tcId}`).toBe(valid);
  });

  it('[A2C-2] refuses keys of low order, under which one signature would fit many texts', () => {
    const forged = new Uint8Array(64);
    forged[0] = 1;
    const points = ['00', '01', 'ec', 'ed', 'ee'].map((first) => (first < '02' ? first.padEnd(64, '0') : `${first}${'ff'.repeat(30)}7f`));
    for (const point of [...points, 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'])
      for (let n = 0; n < 64; n += 1) expect(verifies(bytes(point), new Uint8Array([n]), forged), point).toBe(false);
  });

  it('[A2C-2] signs as RFC 8032 does, and its signatures verify', () => {
    // RFC 8032, section 7.1, test 2.
    const key = newSigningKey(bytes('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'));
    expect(hex(key.public)).toBe('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c');
    const signature = signBytes(key.secret, bytes('72'));
    expect(hex(signature)).toBe(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    );
    expect(verifies(key.public, bytes('72'), signature)).toBe(true);
  });
});

/** What RFC 9180 makes of a shared secret, written a second time: a text that only the holder of that secret can have sealed. */
function sealedTo(shared: Uint8Array, enc: Uint8Array, recipient: Uint8Array, text: Uint8Array): Uint8Array {
  const extract = (id: Uint8Array, salt: Uint8Array, label: string, ikm: Uint8Array): Uint8Array =>
    createHmac('sha256', salt.length > 0 ? salt : new Uint8Array(32))
      .update(joinBytes(utf8('HPKE-v1'), id, utf8(label), ikm))
      .digest();
  const expand = (id: Uint8Array, prk: Uint8Array, label: string, info: Uint8Array, length: number): Uint8Array =>
    createHmac('sha256', prk)
      .update(joinBytes(new Uint8Array([0, length]), utf8('HPKE-v1'), id, utf8(label), info, new Uint8Array([1])))
      .digest()
      .subarray(0, length);
  const none = new Uint8Array(0);
  const kem = joinBytes(utf8('KEM'), new Uint8Array([0, 0x20]));
  const all = joinBytes(utf8('HPKE'), new Uint8Array([0, 0x20, 0, 1, 0, 3]));
  const secret = expand(kem, extract(kem, none, 'eae_prk', shared), 'shared_secret', joinBytes(enc, recipient), 32);
  const context = joinBytes(new Uint8Array([0]), extract(all, none, 'psk_id_hash', none), extract(all, none, 'info_hash', none));
  const prk = extract(all, secret, 'secret', none);
  const cipher = createCipheriv('chacha20-poly1305', expand(all, prk, 'key', context, 32), expand(all, prk, 'base_nonce', context, 12), {
    authTagLength: 16,
  });
  return joinBytes(cipher.update(text), cipher.final(), cipher.getAuthTag());
}

describe('X25519 of Wycheproof, inside HPKE', () => {
  type Agreement = Case & { public: string; private: string; shared: string; result: string };
  const { tests } = read('wycheproof/x25519.json') as { tests: Agreement[] };
  const isWeak = ({ shared }: Agreement): boolean => /^0+$/.test(shared);

  it('[A2C-3] agrees on the published secret', async () => {
    for (const test of tests.filter((one) => !isWeak(one))) {
      const key = await suite.hpke.importPrivateKey(bytes(test.private));
      const [, recipient] = await ownPublic(bytes(test.private));
      const box = sealedTo(bytes(test.shared), bytes(test.public), recipient, utf8('agreed'));
      const opened = await suite.hpke.open(key, bytes(test.public), box, new Uint8Array(0));
      expect(hex(opened), `case ${test.tcId}: ${test.flags}`).toBe(hex(utf8('agreed')));
    }
  });

  it('[A2C-3] refuses public keys of low order, to seal for and to open from', async () => {
    const weak = tests.filter(isWeak);
    expect(weak.length).toBeGreaterThan(30);
    for (const test of weak) {
      const recipient = async (): Promise<unknown> =>
        suite.hpke.seal(await suite.hpke.importPublicKey(bytes(test.public)), utf8('text'), new Uint8Array(0));
      await expect(recipient(), `case ${test.tcId}`).rejects.toThrow();
      const [key, own] = await ownPublic(bytes(test.private));
      const box = sealedTo(new Uint8Array(32), bytes(test.public), own, utf8('text'));
      await expect(suite.hpke.open(key, bytes(test.public), box, new Uint8Array(0)), `case ${test.tcId}`).rejects.toThrow();
    }
  });

  it('[A2C-3] refuses keys of another length', async () => {
    for (const length of [0, 31, 33]) {
      await expect(suite.hpke.importPublicKey(new Uint8Array(length).fill(9))).rejects.toThrow();
      await expect(suite.hpke.importPrivateKey(new Uint8Array(length).fill(9))).rejects.toThrow();
    }
  });

  async function ownPublic(secret: Uint8Array): Promise<[Awaited<ReturnType<typeof suite.hpke.importPrivateKey>>, Uint8Array]> {
    const pkcs8 = joinBytes(bytes('302e020100300506032b656e04220420'), secret);
    const key = await crypto.subtle.importKey('pkcs8', pkcs8.slice(), 'X25519', true, ['deriveBits']);
    return [await suite.hpke.importPrivateKey(secret), fromBase64Url((await crypto.subtle.exportKey('jwk', key)).x!)];
  }
});

describe('XChaCha20-Poly1305 of Wycheproof', () => {
  type Box = Case & { key: string; iv: string; aad: string; msg: string; ct: string; tag: string; valid: boolean };
  const { tests } = read('wycheproof/xchacha20-poly1305.json') as { tests: Box[] };

  it('[A2C-3] opens what is valid and nothing else', () => {
    for (const { tcId, key, iv, aad, msg, ct, tag, valid } of tests) {
      const opened = (): string => hex(openBox(bytes(key), joinBytes(bytes(iv), bytes(ct), bytes(tag)), bytes(aad)));
      if (valid) expect(opened(), `case ${tcId}`).toBe(msg);
      else expect(opened, `case ${tcId}`).toThrow();
    }
  });

  it('[A2C-3] closes boxes that open to the same text', () => {
    for (const { key, aad, msg } of tests) {
      const box = closeBox(bytes(key), bytes(msg), bytes(aad));
      expect(hex(openBox(bytes(key), box, bytes(aad)))).toBe(msg);
    }
  });
});

interface Rfc9420 {
  key_schedule: {
    initial_init_secret: string;
    epochs: Record<string, string>[];
  };
  secret_tree: {
    n_leaves: number;
    encryption_secret: string;
    generation: number;
    sender_data: Record<'sender_data_secret' | 'ciphertext' | 'key' | 'nonce', string>;
    leaves: Record<'application_key' | 'application_nonce' | 'handshake_key' | 'handshake_nonce', string>[];
  };
  message_protection: Record<string, string> & { epoch: number };
  welcome: Record<'init_priv' | 'key_package' | 'welcome', string>;
}

describe('RFC 9420, suite 3', () => {
  const vectors = read('rfc9420.json') as Rfc9420;
  const retention = { retainKeysForGenerations: 100, retainKeysForEpochs: 2, maximumForwardRatchetSteps: 100 };

  it('[A2C-5] each epoch follows from the one before and its commit', async () => {
    let init = bytes(vectors.key_schedule.initial_init_secret);
    for (const epoch of vectors.key_schedule.epochs) {
      const context = decodeGroupContext(bytes(epoch.group_context!), 0)![0];
      expect(hex(await extractJoinerSecret(context, init, bytes(epoch.commit_secret!), suite.kdf))).toBe(
        epoch.joiner_secret!.toLowerCase(),
      );
      const result = await initializeEpoch(init, bytes(epoch.commit_secret!), context, bytes(epoch.psk_secret!), suite.kdf);
      const { keySchedule: keys } = result;
      const named: [string, Uint8Array][] = [
        ['welcome_secret', result.welcomeSecret],
        ['encryption_secret', result.encryptionSecret],
        ['init_secret', keys.initSecret],
        ['sender_data_secret', keys.senderDataSecret],
        ['exporter_secret', keys.exporterSecret],
        ['epoch_authenticator', keys.epochAuthenticator],
        ['external_secret', keys.externalSecret],
        ['confirmation_key', keys.confirmationKey],
        ['membership_key', keys.membershipKey],
        ['resumption_psk', keys.resumptionPsk],
      ];
      for (const [name, value] of named) expect(hex(value), name).toBe(epoch[name]!.toLowerCase());
      init = keys.initSecret;
    }
  });

  it('[A2C-5] the secret tree gives each leaf its keys, fifteen steps on', async () => {
    const { n_leaves: leaves, encryption_secret: secret, generation, sender_data: sender } = vectors.secret_tree;
    const tree = await createSecretTree(leaves, bytes(secret), suite.kdf);
    for (const [leafIndex, expected] of vectors.secret_tree.leaves.entries())
      for (const kind of ['application', 'handshake'] as const) {
        const data = { leafIndex, generation, reuseGuard: new Uint8Array(4) as ReuseGuard };
        const content = kind === 'application' ? 'application' : 'commit';
        const { key, nonce } = await ratchetToGeneration(tree, data, content, retention, suite);
        expect([hex(key), hex(nonce)]).toEqual([expected[`${kind}_key`], expected[`${kind}_nonce`]]);
      }
    const { sender_data_secret: own, ciphertext } = sender;
    expect(hex(await expandSenderDataKey(suite, bytes(own), bytes(ciphertext)))).toBe(sender.key);
    expect(hex(await expandSenderDataNonce(suite, bytes(own), bytes(ciphertext)))).toBe(sender.nonce);
  });

  it('[A2C-3] [A2C-5] protected messages open, and those made here open again', async () => {
    const { message_protection: vector } = vectors;
    const groupContext = {
      version: 'mls10' as const,
      cipherSuite: suite.name,
      groupId: bytes(vector.group_id!),
      epoch: BigInt(vector.epoch),
      treeHash: bytes(vector.tree_hash!),
      confirmedTranscriptHash: bytes(vector.confirmed_transcript_hash!),
      extensions: [],
    };
    const leaf = { nodeType: 'leaf', leaf: { signaturePublicKey: bytes(vector.signature_pub!) } };
    const members = [leaf, undefined, leaf] as unknown as Parameters<typeof unprotectPrivateMessage>[3];
    const senderData = bytes(vector.sender_data_secret!);
    const tree = await createSecretTree(2, bytes(vector.encryption_secret!), suite.kdf);
    const opened = async (message: Uint8Array): ReturnType<typeof unprotectPrivateMessage> => {
      const decoded = decodeMlsMessage(message, 0)![0];
      if (decoded.wireformat !== 'mls_private_message') throw new Error('not a private message');
      return unprotectPrivateMessage(senderData, decoded.privateMessage, tree, members, groupContext, retention, suite);
    };
    const application = (await opened(bytes(vector.application_priv!))).content.content;
    expect(application.contentType === 'application' && hex(application.applicationData)).toBe(vector.application);
    const { content } = (await opened(bytes(vector.commit_priv!))).content;
    expect(content.contentType === 'commit' && hex(encodeCommit(content.commit))).toBe(vector.commit);

    const text = bytes(vector.application!);
    const padding = { kind: 'padUntilLength' as const, padUntilLength: 0 };
    const signing = bytes(vector.signature_priv!);
    const made = await protectApplicationData(signing, senderData, text, new Uint8Array(0), groupContext, tree, 1, padding, suite);
    const again = await unprotectPrivateMessage(senderData, made.privateMessage, tree, members, groupContext, retention, suite);
    expect(again.content.content).toMatchObject({ contentType: 'application', applicationData: text });
  });

  it('[A2C-3] the secrets in a Welcome open with the key of the package it names, and with no other', async () => {
    const { init_priv: secret, key_package: ofPackage, welcome: ofWelcome } = vectors.welcome;
    const [keyPackage, message] = [readKeyPackage(bytes(ofPackage)), decodeMlsMessage(bytes(ofWelcome), 0)![0]];
    if (message.wireformat !== 'mls_welcome') throw new Error('not a Welcome');
    const reference = await makeKeyPackageRef(keyPackage, suite.hash);
    expect(reference).toEqual(message.welcome.secrets[0]!.newMember);
    const opened = async (key: Uint8Array): ReturnType<typeof decryptGroupSecrets> =>
      decryptGroupSecrets(await suite.hpke.importPrivateKey(key), reference, message.welcome, suite.hpke);
    expect((await opened(bytes(secret)))!.joinerSecret).toHaveLength(32);
    await expect(opened(bytes(secret).with(0, 9).with(1, 9))).rejects.toThrow();
  });
});

type GroupMessage = Parameters<typeof processMessage>[0];

interface PassiveClient {
  exporter: { label: string; context: string; length: number };
  key_package: string;
  init_priv: string;
  encryption_priv: string;
  signature_priv: string;
  welcome: string;
  ratchet_tree: string;
  epochs: { proposal?: string; commit?: string; exporter: string; messages: string[]; plaintext: string }[];
}

describe('a group of OpenMLS', () => {
  it('[A2C-3] [A2C-5] can be joined, read and followed to its next epoch', async () => {
    const vector = read('openmls.json') as PassiveClient;
    const message = (text: string): MLSMessage => decodeMlsMessage(bytes(text), 0)![0];
    const welcome = message(vector.welcome);
    if (welcome.wireformat !== 'mls_welcome') throw new Error('not a Welcome');
    const keys = {
      initPrivateKey: bytes(vector.init_priv),
      hpkePrivateKey: bytes(vector.encryption_priv),
      signaturePrivateKey: bytes(vector.signature_priv),
    };
    const [own] = decodeKeyPackage(bytes(vector.key_package), 0)!;
    const [tree] = decodeRatchetTree(bytes(vector.ratchet_tree), 0)!;
    let state = await joinGroup(welcome.welcome, own, keys, emptyPskIndex, suite, tree);
    for (const epoch of vector.epochs) {
      for (const handshake of [epoch.proposal, epoch.commit].filter((one) => one !== undefined))
        state = (await processMessage(message(handshake) as GroupMessage, state, emptyPskIndex, acceptAll, suite)).newState;
      const { label, context, length } = vector.exporter;
      expect(hex(await mlsExporter(state.keySchedule.exporterSecret, label, bytes(context), length, suite))).toBe(epoch.exporter);
      for (const sealed of epoch.messages) {
        const result = await processMessage(message(sealed) as GroupMessage, state, emptyPskIndex, acceptAll, suite);
        expect(result.kind === 'applicationMessage' && hex(result.message)).toBe(epoch.plaintext);
        state = result.newState;
      }
    }
  });
});

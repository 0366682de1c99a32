import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { joinBytes, utf8 } from '@parley/protocol/relay';
import { createApplicationMessage, createCommit, createGroup, decodeGroupState, encodeMlsMessage, type Proposal } from 'ts-mls';
import { Knowledge } from '../../test/kit/knowledge.ts';
import { epochOf, header, hour, Line, partiesOf, person } from '../../test/kit/line.ts';
import { offer, readKeyPackage } from './key-packages.ts';
import { configFor, credentialOf, type OwnIdentity } from './parties.ts';
import { writeBody } from './sealed-body.ts';
import { join, open, packageNamedIn, seal, start } from './session.ts';
import { closeBox, hashOf, randomBytes } from './sodium.ts';
import { suite } from './suite.ts';

const day = 24 * hour;
const seed = Number(process.env['PARLEY_SEED'] ?? 7);
/** A bit of each byte, another one for each seed. */
const bitOf = (at: number): number => 1 << ((Math.imul(at + 1, seed | 1) >>> 13) & 7);
/** Every byte in the full run, else one in seven: each costs a handshake. */
const stride = process.env['PARLEY_TEST_FULL'] === '1' ? 1 : 7;
const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, bytes[at]! ^ bitOf(at));

afterEach(() => {
  vi.restoreAllMocks();
});

describe('one flipped bit', () => {
  it('[A2C-3] anywhere in a body with a commit, its key or its box opens nothing and changes nothing', async () => {
    const line = await Line.begun();
    const body = await line.sealed('bob', 'with a commit');
    expect(line.ends.bob!.handshake).not.toBeNull();
    const before = line.ends.ann!.group.slice();
    for (let at = seed % stride; at < body.length; at += stride)
      await expect(line.opened('ann', flipped(body, at)), `byte ${at}, seed ${seed}`).rejects.toThrow();
    for (let at = 0; at < header.length; at += 1)
      await expect(line.opened('ann', body, flipped(header, at)), `header byte ${at}, seed ${seed}`).rejects.toThrow();
    expect(line.ends.ann!.group).toEqual(before);
    expect(await line.opened('ann', body)).toBe('with a commit');
  });

  it('[A2C-3] anywhere in a first packet begins nothing', async () => {
    const line = new Line();
    const secrets = await offer(line.bob, line.now, 30);
    line.ends.ann = await start(line.parties.ann, secrets.package, line.now);
    const body = await line.sealed('ann', 'hello');
    const begun = async (bytes: Uint8Array): Promise<unknown> =>
      open(await join(line.parties.bob, secrets, bytes), line.parties.bob, { headerBytes: header, body: bytes }, line.now);
    for (let at = seed % stride; at < body.length; at += stride)
      await expect(begun(flipped(body, at)), `byte ${at}, seed ${seed}`).rejects.toThrow();
    await begun(body);
  });

  it('[A2C-4] anywhere in a key package begins no session', async () => {
    const line = new Line();
    const { package: bytes } = await offer(line.bob, line.now, 30);
    for (let at = seed % stride; at < bytes.length; at += stride)
      await expect(start(line.parties.ann, flipped(bytes, at), line.now), `byte ${at}, seed ${seed}`).rejects.toThrow();
  });
});

describe('key packages', () => {
  it('[A2C-4] are accepted for a day beyond their lifetime and before it, and then no more', async () => {
    const line = new Line();
    const { package: bytes } = await offer(line.bob, line.now, 30);
    // The library that seals looks at the clock of the machine by itself.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const startAt = (ms: number): Promise<unknown> => {
      vi.setSystemTime(line.now + ms);
      return start(line.parties.ann, bytes, line.now + ms);
    };
    await startAt(31 * day - hour);
    await startAt(-2 * day + hour);
    await expect(startAt(31 * day + hour)).rejects.toThrow('has expired');
    await expect(startAt(-2 * day - hour)).rejects.toThrow('has expired');
  });

  it('[A2C-4] a Welcome for another package, or another person, is not joined', async () => {
    const line = await Line.begun();
    const [mine, other] = [await offer(line.bob, line.now, 30), await offer(line.bob, line.now, 30)];
    const session = await start(line.parties.ann, mine.package, line.now);
    const { body } = await seal(session, line.parties.ann, { headerBytes: header, text: utf8('hello') }, line.now);
    expect(packageNamedIn(body)).toEqual(mine.reference);
    await expect(join(line.parties.bob, other, body)).rejects.toThrow();
    const eve = person('eve');
    await expect(join(partiesOf(eve, line.ann), await offer(eve, line.now, 30), body)).rejects.toThrow();
    await expect(join(line.parties.bob, { ...mine, initSecret: other.initSecret }, body)).rejects.toThrow();
  });
});

describe('credentials', () => {
  it('[A2C-4] [A2C-8] only the pinned key with its address and device epoch is accepted, beside one’s own', async () => {
    const line = new Line();
    const { authService } = configFor(line.parties.ann);
    const eve = person('eve');
    const accepts = (who: OwnIdentity, key = who.key.public): Promise<boolean> =>
      authService.validateCredential(credentialOf(who.address, who.epoch), key);
    expect([await accepts(line.bob), await accepts(line.ann)]).toEqual([true, true]);
    expect(await accepts(line.bob, eve.key.public)).toBe(false);
    expect(await accepts(eve, line.bob.key.public)).toBe(false);
    expect(await accepts({ ...line.bob, epoch: epochOf(2) })).toBe(false);
    expect(await accepts({ ...line.bob, epoch: { counter: 1, device: 'BAAAAAAAAAAAAAAAAAAAAA' } })).toBe(false);
    expect(await authService.validateCredential({ credentialType: 'x509', certificates: [] }, line.bob.key.public)).toBe(false);
  });
});

describe('a peer that breaks the rules', () => {
  /** A body of ann's with a commit that the session would not make. */
  async function bodyWith(line: Line, extraProposals: Proposal[]): Promise<Uint8Array> {
    const [decoded] = decodeGroupState(line.ends.ann!.group.slice(), 0)!;
    const state = { ...decoded, signaturePrivateKey: line.ann.key.secret, clientConfig: configFor(line.parties.ann) };
    const { newState, commit } = await createCommit({ state, cipherSuite: suite }, { extraProposals });
    const [key, handshake] = [randomBytes(32), encodeMlsMessage(commit)];
    const box = closeBox(key, joinBytes(new Uint8Array(4)), header);
    const { privateMessage } = await createApplicationMessage(newState, key, suite, hashOf(joinBytes(handshake, box)));
    return writeBody([handshake, encodeMlsMessage({ version: 'mls10', wireformat: 'mls_private_message', privateMessage })], box);
  }

  it('[A2C-5] a commit with a proposal is refused: nobody is added, removed or replaced', async () => {
    const line = await Line.begun();
    await line.say('bob', 'commits, so that it is ann’s turn');
    expect(await line.opened('bob', await bodyWith(line, []))).toBe('');
    const again = await Line.begun();
    await again.say('bob', 'commits');
    const proposals: Proposal[] = [
      { proposalType: 'remove', remove: { removed: 1 } },
      { proposalType: 'group_context_extensions', groupContextExtensions: { extensions: [] } },
    ];
    for (const proposal of proposals)
      await expect(again.opened('bob', await bodyWith(again, [proposal])), String(proposal.proposalType)).rejects.toThrow();
  });

  it('[A2C-5] a commit out of turn is refused', async () => {
    const line = await Line.begun();
    await expect(line.opened('bob', await bodyWith(line, []))).rejects.toThrow('out of turn');
  });

  it('[A2C-4] a session of three is not joined', async () => {
    const line = new Line();
    const [bobs, third, own] = [
      await offer(line.bob, line.now, 30),
      await offer(line.bob, line.now, 30),
      await offer(line.ann, line.now, 1),
    ];
    const secrets = { initPrivateKey: own.initSecret, hpkePrivateKey: own.encryptionSecret, signaturePrivateKey: line.ann.key.secret };
    const config = {
      ...configFor(line.parties.ann),
      keyPackageEqualityConfig: { compareKeyPackages: () => false, compareKeyPackageToLeafNode: () => false },
    };
    const state = await createGroup(randomBytes(16), readKeyPackage(own.package), secrets, [], suite, config);
    const extraProposals = [bobs, third].map((one): Proposal => ({
      proposalType: 'add',
      add: { keyPackage: readKeyPackage(one.package) },
    }));
    const { welcome } = await createCommit({ state, cipherSuite: suite }, { extraProposals, ratchetTreeExtension: true });
    const bytes = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: welcome! });
    await expect(join(line.parties.bob, bobs, writeBody([bytes], new Uint8Array(64)))).rejects.toThrow();
  });
});

describe('keys', () => {
  it('[A2C-8] no key and nonce repeat when two devices of one person alternate 100 times', async () => {
    const knowledge = new Knowledge();
    const line = new Line();
    const pairs = new Set<string>();
    let count = 0;
    const devices = [new Line(), new Line()];
    for (let turn = 1; turn <= 100; turn += 1) {
      // Each takeover raises the epoch and begins a new session; a session is in no backup.
      const device = devices[turn % 2]!;
      const ann: OwnIdentity = { ...line.ann, epoch: epochOf(turn) };
      Object.assign(device, { ann, bob: line.bob, parties: { ann: partiesOf(ann, line.bob), bob: partiesOf(line.bob, ann) } });
      const secrets = await offer(line.bob, line.now, 30);
      device.ends.ann = await start(device.parties.ann, secrets.package, line.now);
      const body = await device.sealed('ann', 'hello');
      device.ends.bob = await join(device.parties.bob, secrets, body);
      await device.opened('bob', body);
      await device.say('bob', 'commits');
      await device.say('ann', 'answers');
      for (const { key, nonce, plaintext } of knowledge.encryptions.splice(0)) {
        pairs.add(`${key} ${nonce}`);
        count += 1;
        // The key of the box, in the message that carries it.
        if (plaintext[0] !== 32) continue;
        pairs.add(Buffer.from(plaintext.subarray(1, 33)).toString('hex'));
        count += 1;
      }
    }
    knowledge.stop();
    expect(count).toBeGreaterThan(800);
    expect(pairs.size).toBe(count);
  });

  it('[A2C-5] are zeroed once used, and so is the key of the box', async () => {
    const line = await Line.begun();
    const encrypted = vi.spyOn(suite.hpke, 'encryptAead');
    const decrypted = vi.spyOn(suite.hpke, 'decryptAead');
    await line.say('ann', 'text');
    const zeros = new Uint8Array(32);
    expect(encrypted.mock.calls[0]![0]).toEqual(zeros);
    expect(decrypted.mock.calls.at(-1)![0]).toEqual(zeros);
    const carried = await decrypted.mock.results.at(-1)!.value;
    expect(carried.subarray(0, 33)).toEqual(joinBytes(new Uint8Array([32]), zeros));
  });

  it('[A2C-5] the identity’s secret key is never in a session', async () => {
    const line = await Line.begun();
    for (const from of ['bob', 'ann', 'bob'] as const) {
      line.now += hour;
      await line.say(from, 'commits');
      for (const name of ['ann', 'bob'] as const)
        expect(Buffer.from(line.ends[name]!.group).includes(Buffer.from(line[name].key.secret))).toBe(false);
    }
  });
});

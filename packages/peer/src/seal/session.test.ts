import { describe, expect, it } from 'vitest';
import { bodySizes, utf8 } from '@parley/protocol/relay';
import { epochOf, header, hour, Line, partiesOf, person } from '../../test/kit/line.ts';
import { offer } from './key-packages.ts';
import { join, open, seal, start, tagFor } from './session.ts';

describe('sessions', () => {
  it('[A2C-3] carry texts both ways from the first packet on, in padded sizes only', async () => {
    const line = await Line.begun();
    expect(line.named).toEqual(line.offered);
    expect(await line.say('bob', 'hello yourself')).toBe('hello yourself');
    expect(await line.say('ann', 'x'.repeat(3000))).toBe('x'.repeat(3000));
    expect(await line.say('bob', 'y'.repeat(65_536))).toBe('y'.repeat(65_536));
    for (const body of line.bodies) expect(bodySizes).toContain(body.length);
    await expect(line.sealed('ann', 'z'.repeat(74_000))).rejects.toThrow('bytes too large');
  });

  it('[A2C-3] one flipped bit in a body, or another header, opens nothing and changes nothing', async () => {
    const line = await Line.begun();
    const body = await line.sealed('ann', 'secret');
    for (let at = 0; at < body.length; at += 41) {
      const changed = body.slice();
      changed[at]! ^= 1;
      await expect(line.opened('bob', changed), `byte ${at}`).rejects.toThrow();
    }
    const other = { headerBytes: utf8('{"header":2}'), body };
    await expect(open(line.ends.bob!, line.parties.bob, other, line.now)).rejects.toThrow();
    expect(await line.opened('bob', body)).toBe('secret');
  });

  it('[A2C-5] a packet opens once: its key is gone', async () => {
    const line = await Line.begun();
    const body = await line.sealed('ann', 'once');
    expect(await line.opened('bob', body)).toBe('once');
    await expect(line.opened('bob', body)).rejects.toThrow();
  });

  it('[A2C-6] packets that come late or in another order open', async () => {
    const line = await Line.begun();
    const bodies = [];
    for (const n of ['1', '2', '3', '4', '5']) bodies.push(await line.sealed('ann', n));
    for (const n of [5, 1, 3, 2, 4]) expect(await line.opened('bob', bodies[n - 1]!)).toBe(String(n));
  });

  it('[A2C-5] the right to commit alternates, and a commit that was lost comes again', async () => {
    const line = await Line.begun();
    await line.sealed('bob', 'lost, with the first commit');
    const second = await line.sealed('bob', 'again');
    expect(await line.opened('ann', second)).toBe('again');
    expect(line.ends.ann).toMatchObject({ mayCommit: true });
    expect(line.ends.bob).toMatchObject({ mayCommit: false, handshake: expect.anything() });
    await line.say('ann', 'in the new epoch');
    expect(line.ends.bob).toMatchObject({ handshake: null });
    line.now += hour;
    await line.say('ann', 'commits after an hour');
    expect(line.ends.ann).toMatchObject({ mayCommit: false });
    expect(line.ends.bob).toMatchObject({ mayCommit: true });
    for (let n = 0; n < 52; n += 1) await line.say('bob', `bob ${n}`);
    expect(line.ends.bob).toMatchObject({ mayCommit: false });
    expect(line.ends.ann).toMatchObject({ mayCommit: true });
  });

  it('[A2C-6] a packet of an earlier epoch that waited opens after two commits', async () => {
    const line = await Line.begun();
    const late = await line.sealed('ann', 'late');
    await line.say('bob', 'commits');
    line.now += hour;
    await line.say('ann', 'commits too');
    expect(await line.opened('bob', late)).toBe('late');
  });

  it('[A2C-4] a package of another key, address or epoch begins nothing', async () => {
    const line = new Line();
    const eve = person('eve');
    for (const forged of [eve, { ...eve, address: line.bob.address }, { ...line.bob, epoch: epochOf(2) }]) {
      const secrets = await offer(forged, line.now, 30);
      await expect(start(line.parties.ann, secrets.package, line.now)).rejects.toThrow('is not one of');
    }
    const expired = await offer(line.bob, line.now - 40 * 24 * hour, 30);
    await expect(start(line.parties.ann, expired.package, line.now)).rejects.toThrow('has expired');
  });

  it('[A2C-4] a Welcome by somebody else than the pinned peer is refused', async () => {
    const line = new Line();
    const eve = person('eve');
    const secrets = await offer(line.bob, line.now, 30);
    const hers = partiesOf({ ...eve, address: line.ann.address }, line.bob);
    const { body } = await seal(
      await start(hers, secrets.package, line.now),
      hers,
      { headerBytes: header, text: utf8('I am ann') },
      line.now,
    );
    await expect(join(line.parties.bob, secrets, body)).rejects.toThrow();
  });

  it('[A2C-5] neither a stored session nor the identity key opens an earlier packet', async () => {
    const line = await Line.begun();
    const captured = await line.sealed('ann', 'captured');
    expect(await line.opened('bob', captured)).toBe('captured');
    const before = line.ends.bob!;
    await line.say('bob', 'commits');
    await line.say('ann', 'goes on');
    for (const session of [before, line.ends.bob!])
      await expect(open(session, line.parties.bob, { headerBytes: header, body: captured }, line.now)).rejects.toThrow();
    expect(Buffer.from(line.ends.bob!.group).includes(Buffer.from(line.bob.key.secret))).toBe(false);
  });

  it('[A2C-6] tags differ per negotiation and direction, and stay while keys move on', async () => {
    const line = await Line.begun();
    const { ann, bob } = line.ends;
    const tag = (secret: Uint8Array, id: string): string => Buffer.from(tagFor(secret, id)).toString('hex');
    expect(tag(ann!.tagSecrets.sending, 'thr_1')).toBe(tag(bob!.tagSecrets.receiving, 'thr_1'));
    expect(tag(ann!.tagSecrets.sending, 'thr_1')).not.toBe(tag(ann!.tagSecrets.sending, 'thr_2'));
    expect(tag(ann!.tagSecrets.sending, 'thr_1')).not.toBe(tag(ann!.tagSecrets.receiving, 'thr_1'));
    await line.say('bob', 'commits');
    expect(line.ends.ann!.tagSecrets).toEqual(ann!.tagSecrets);
  });
});

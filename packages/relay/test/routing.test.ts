import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { toBase64Url } from '@parley/protocol/relay';
import { frameFrom, type RelayIdentity, newIdentity, type RelayClient, reportOf } from '@parley/testkit/relay';
import { startRelay, type TestRelay } from './kit/relay.ts';

const day = 24 * 3_600_000;
const tagOf = (n: number): string => toBase64Url(Uint8Array.of(...new Uint8Array(14), n >> 8, n & 255));

async function pairOf(relay: TestRelay): Promise<{ ann: RelayIdentity; bob: RelayIdentity }> {
  return { ann: await relay.registered('ann'), bob: await relay.registered('bob') };
}

const stored = { type: 'stored' };

describe('who sends', () => {
  test('[A2C-2] a frame is sent by the address, key and epoch that logged in', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const eve = await relay.registered('eve');
    const client = await relay.loggedIn(eve);
    expect(await client.sendFrame(frameFrom(ann, bob, 'as ann'))).toMatchObject({ code: 'wrong_sender' });
    expect(await client.sendFrame(frameFrom(eve, bob, 'as ann', { from: ann.address }))).toMatchObject({ code: 'wrong_sender' });
    const whole = frameFrom(eve, bob, 'as ann, with her key', { from: ann.address, from_key: ann.key });
    expect(await client.sendFrame(whole)).toMatchObject({ code: 'wrong_sender' });
    expect(await client.sendFrame(frameFrom(eve, bob, 'other key', { from_key: ann.key }))).toMatchObject({ code: 'wrong_sender' });
    expect(await client.sendFrame(frameFrom(eve, bob, 'epoch', { epoch: { ...eve.epoch, counter: 2 } }))).toMatchObject({
      code: 'wrong_sender',
    });
    expect(await client.sendFrame(frameFrom({ ...eve, secret: ann.secret }, bob, 'other secret'))).toMatchObject({ code: 'bad_signature' });
  });

  test('[A2C-2] one flipped bit anywhere in a frame is noticed', async () => {
    const relay = await startRelay({ PARLEY_RELAY_FRAMES_PER_MINUTE: '1000000' });
    const { ann, bob } = await pairOf(relay);
    const frame = frameFrom(ann, bob, 'sealed');
    const flipped = Array.from({ length: frame.length * 8 }, (_, bit) => {
      const bytes = frame.slice();
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      return bytes;
    });
    // A connection is cut off after a hundred refusals.
    for (let from = 0; from < flipped.length; from += 90) {
      const batch = flipped.slice(from, from + 90);
      const client = await relay.loggedIn(ann);
      for (const bytes of batch) client.socket.send(bytes);
      const answers = await client.until(() => (client.messages.length >= batch.length + 2 ? client.messages.slice(2) : undefined));
      expect(answers.map(({ type }) => type)).toEqual(batch.map(() => 'refused'));
      await client.leave();
    }
    const reader = await relay.loggedIn(bob);
    expect(await (await relay.loggedIn(ann)).sendFrame(frame)).toMatchObject(stored);
    expect(await reader.received(1)).toEqual(['sealed']);
  });

  test('[A2C-4] a frame for a key that is not the registered one is refused', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const client = await relay.loggedIn(ann);
    expect(await client.sendFrame(frameFrom(ann, { ...bob, key: newIdentity('x').key }, 'old key'))).toMatchObject({ code: 'key_changed' });
    expect(await client.sendFrame(frameFrom(ann, newIdentity('nobody'), 'where?'))).toMatchObject({ code: 'unknown_address' });
  });
});

describe('the queue', () => {
  async function fill(
    client: RelayClient,
    from: RelayIdentity,
    to: RelayIdentity,
    count: number,
    tag: (n: number) => string,
  ): Promise<void> {
    for (let n = 0; n < count; n += 1) client.socket.send(frameFrom(from, to, String(n), { tag: tag(n) }));
    await client.until(() => (client.messages.filter(({ type }) => type === 'stored').length === count ? true : undefined));
  }

  test('[A2C-6] frames wait for an offline recipient, in order, also over a restart', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    await fill(await relay.loggedIn(ann), ann, bob, 50, () => tagOf(1));
    await relay.restart();
    const reader = await relay.loggedIn(bob);
    expect(await reader.received(50)).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
    expect(reader.deliveries.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  test('[A2C-6] an unacknowledged frame comes again, an acknowledged one does not', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const writer = await relay.loggedIn(ann);
    await fill(writer, ann, bob, 3, () => tagOf(1));
    const first = await relay.loggedIn(bob);
    await first.received(3);
    first.send({ type: 'ack', through: 2 });
    await first.leave();
    const second = await relay.loggedIn(bob);
    expect(await second.received(1)).toEqual(['2']);
    second.ack();
    await second.leave();
    await relay.restart();
    const third = await relay.loggedIn(bob);
    await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'next'));
    expect(await third.received(1)).toEqual(['next']);
  });

  test('[A2C-6] packet 101 of a negotiation is refused and its sender notified; room comes back', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const writer = await relay.loggedIn(ann);
    await fill(writer, ann, bob, 100, () => tagOf(1));
    const last = frameFrom(ann, bob, 'one too many', { tag: tagOf(1) });
    // However often: a full queue is no fault of its sender's, who stays connected.
    for (let n = 0; n < 120; n += 1) expect(await writer.sendFrame(last)).toMatchObject({ type: 'refused', code: 'queue_full' });
    expect(await writer.sendFrame(frameFrom(ann, bob, 'another', { tag: tagOf(2) }))).toMatchObject(stored);
    await relay.restart();
    const again = await relay.loggedIn(ann);
    expect(await again.sendFrame(last)).toMatchObject({ code: 'queue_full' });
    const reader = await relay.loggedIn(bob);
    await reader.received(101);
    reader.ack();
    await reader.leave();
    expect(await again.sendFrame(last)).toMatchObject(stored);
  });

  test('[A2C-6] random tags win no room beyond the limit of the pair', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const writer = await relay.loggedIn(ann);
    await fill(writer, ann, bob, 400, tagOf);
    expect(await writer.sendFrame(frameFrom(ann, bob, '401', { tag: tagOf(999) }))).toMatchObject({ code: 'queue_full' });
    const eve = await relay.registered('eve');
    expect(await (await relay.loggedIn(eve)).sendFrame(frameFrom(eve, bob, 'hello'))).toMatchObject(stored);
  });

  test('[A2C-6] a retry with the same bytes is stored once, also after a restart; other bytes are refused', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const frame = frameFrom(ann, bob, 'once', { packet_id: 'pkt_retried00' });
    const writer = await relay.loggedIn(ann);
    expect(await writer.sendFrame(frame)).toMatchObject(stored);
    expect(await writer.sendFrame(frame)).toMatchObject(stored);
    const reader = await relay.loggedIn(bob);
    await reader.received(1);
    reader.ack();
    await reader.leave();
    await relay.restart();
    const again = await relay.loggedIn(ann);
    expect(await again.sendFrame(frame)).toMatchObject(stored);
    expect(await again.sendFrame(frameFrom(ann, bob, 'twice', { packet_id: 'pkt_retried00' }))).toMatchObject({ code: 'packet_id_taken' });
    await again.sendFrame(frameFrom(ann, bob, 'marker'));
    expect(await (await relay.loggedIn(bob)).received(1)).toEqual(['marker']);
  });

  test('[A2C-6] a packet that waited 30 days is accepted; one that is older is not, so no replay outlives its id', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const writer = await relay.loggedIn(ann);
    expect(await writer.sendFrame(frameFrom(ann, bob, '30 days', { sent_at: Date.now() - 30 * day }))).toMatchObject(stored);
    expect(await writer.sendFrame(frameFrom(ann, bob, '32 days', { sent_at: Date.now() - 32 * day }))).toMatchObject({ code: 'too_old' });
    expect(await writer.sendFrame(frameFrom(ann, bob, 'clock off', { sent_at: Date.now() + 3_600_000 }))).toMatchObject(stored);
    expect(await writer.sendFrame(frameFrom(ann, bob, 'tomorrow', { sent_at: Date.now() + 2 * day }))).toMatchObject({
      code: 'from_the_future',
    });
    const frame = frameFrom(ann, bob, 'replayed', { sent_at: Date.now() });
    expect(await writer.sendFrame(frame)).toMatchObject(stored);
    relay.ahead = 31 * day + 3_600_000;
    await relay.served.relay.forget();
    expect(await writer.sendFrame(frame)).toMatchObject({ code: 'too_old' });
    const reader = await relay.loggedIn(bob);
    expect(await reader.received(3)).toEqual(['30 days', 'clock off', 'replayed']);
    await reader.leave();
    relay.ahead = 33 * day;
    await relay.served.relay.forget();
    await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'new', { sent_at: Date.now() + relay.ahead }));
    expect(await (await relay.loggedIn(bob)).received(1)).toEqual(['new']);
  });

  test('[A2C-6] a recipient that acknowledges slowly gets everything once, in order per sender', async () => {
    const relay = await startRelay({ PARLEY_RELAY_QUEUE: '2000', PARLEY_RELAY_FRAMES_PER_MINUTE: '100000' });
    const { ann, bob } = await pairOf(relay);
    const eve = await relay.registered('eve');
    const reader = await relay.loggedIn(bob);
    for (const who of [ann, eve])
      void relay.loggedIn(who).then((writer) => fill(writer, who, bob, 380, () => tagOf(1)).catch(() => undefined));
    let acknowledged = 0;
    await reader.until(() => {
      const count = reader.deliveries.length;
      if (count - acknowledged >= 100 || count === 760) reader.send({ type: 'ack', through: (acknowledged = count) });
      return count === 760 ? true : undefined;
    });
    for (const who of [ann, eve]) {
      const texts = reader.deliveries
        .filter(({ parsed }) => parsed.header.from === who.address)
        .map(({ parsed }) => new TextDecoder().decode(parsed.body));
      expect(texts).toEqual(Array.from({ length: 380 }, (_, n) => String(n)));
    }
  });
});

describe('abuse', () => {
  test('[A2C-9] frames of one address have a limit a day as well, because the relay remembers their ids for a month', async () => {
    const relay = await startRelay({ PARLEY_RELAY_FRAMES_PER_DAY: '4', PARLEY_RELAY_FRAMES_PER_MINUTE: '3' });
    const { ann, bob } = await pairOf(relay);
    const writer = await relay.loggedIn(ann);
    const answers: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      if (n === 3) relay.ahead += 60_000;
      const answer = await writer.sendFrame(frameFrom(ann, bob, String(n)));
      answers.push('code' in answer ? answer.code : answer.type);
    }
    expect(answers).toEqual(['stored', 'stored', 'stored', 'stored', 'rate_limited', 'rate_limited']);
    relay.ahead += 6 * 3_600_000;
    expect(await writer.sendFrame(frameFrom(ann, bob, 'later'))).toMatchObject({ type: 'stored' });
  });

  test('[A2C-9] an address sends so many frames a minute', async () => {
    const relay = await startRelay({ PARLEY_RELAY_FRAMES_PER_MINUTE: '3' });
    const { ann, bob } = await pairOf(relay);
    const writer = await relay.loggedIn(ann);
    for (let n = 0; n < 3; n += 1) expect(await writer.sendFrame(frameFrom(ann, bob, 'x'))).toMatchObject(stored);
    expect(await writer.sendFrame(frameFrom(ann, bob, 'x'))).toMatchObject({ code: 'rate_limited', retry_after_ms: expect.any(Number) });
    const pauses = vi.spyOn(WebSocket.prototype, 'pause');
    onTestFinished(() => pauses.mockRestore());
    expect(await writer.sendFrame(frameFrom(ann, bob, 'x'))).toMatchObject({ code: 'rate_limited' });
    // Not read from for a while, and heard again afterwards.
    expect(pauses).toHaveBeenCalled();
    expect(await writer.request({ type: 'block', ref: 'b', address: bob.address, blocked: false })).toMatchObject({ type: 'done' });
    relay.ahead = 60_000;
    expect(await writer.sendFrame(frameFrom(ann, bob, 'x', { sent_at: Date.now() }))).toMatchObject(stored);
  });

  test('[A2C-9] a blocked sender gets the usual answer, the recipient nothing, also after a restart', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    await (await relay.loggedIn(bob)).request({ type: 'block', ref: '1', address: ann.address, blocked: true });
    await relay.restart();
    expect(await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'unwanted'))).toMatchObject(stored);
    const reader = await relay.loggedIn(bob);
    await reader.request({ type: 'block', ref: '2', address: ann.address, blocked: false });
    await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'welcome'));
    expect(await reader.received(1)).toEqual(['welcome']);
  });

  test('[A2C-9] frames of a sender whom three recipients reported go last; others cannot report', async () => {
    const relay = await startRelay();
    const { ann, bob } = await pairOf(relay);
    const spammer = await relay.registered('spammer');
    const writer = await relay.loggedIn(spammer);
    const readers = [ann, await relay.registered('carl'), await relay.registered('dora')];
    const report = async (who: RelayIdentity) =>
      (await relay.loggedIn(who)).request({ type: 'report', ref: 'r', ...reportOf(who, spammer) });
    for (const who of readers) {
      await report(who);
      expect(relay.served.relay.offendersNow()).toEqual([]);
    }
    for (const who of readers) {
      await writer.sendFrame(frameFrom(spammer, who, 'buy'));
      await report(who);
      await report(who);
    }
    expect(relay.served.relay.offendersNow()).toEqual([spammer.address]);
    await writer.sendFrame(frameFrom(spammer, bob, 'buy 1'));
    await writer.sendFrame(frameFrom(spammer, bob, 'buy 2'));
    await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'hello'));
    expect(await (await relay.loggedIn(bob)).received(3)).toEqual(['hello', 'buy 1', 'buy 2']);
  });
});

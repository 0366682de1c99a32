import { toBase64Url } from '@parley/protocol/relay';
import { describe, expect, test, vi } from 'vitest';
import { frameFrom, newIdentity, type RelayIdentity, reportOf, statementOf } from '@parley/testkit/relay';
import { startRelay, type TestRelay, scraping } from './kit/relay.ts';

const day = 24 * 3_600_000;
const stored = { type: 'stored' };

async function people(relay: TestRelay, ...names: string[]): Promise<RelayIdentity[]> {
  const found = [];
  for (const name of names) found.push(await relay.registered(name));
  return found;
}

/** One frame of the spammer to each, then a report of each. */
async function reportedBy(relay: TestRelay, spammer: RelayIdentity, readers: readonly RelayIdentity[]): Promise<void> {
  const writer = await relay.loggedIn(spammer);
  for (const who of readers) {
    expect(await writer.sendFrame(frameFrom(spammer, who, 'buy'))).toMatchObject(stored);
    await (await relay.loggedIn(who)).request({ type: 'report', ref: 'r', ...reportOf(who, spammer) });
  }
}

describe('blocks', () => {
  const block = (who: RelayIdentity) => ({ type: 'block' as const, ref: `block ${who.name}`, address: who.address, blocked: true });

  test('[A2C-9] a blocked sender gets the answers that any other gets', async () => {
    const relay = await startRelay();
    const [ann, bob, eve] = (await people(relay, 'ann', 'bob', 'eve')) as [RelayIdentity, RelayIdentity, RelayIdentity];
    const reader = await relay.loggedIn(bob);
    await reader.request(block(eve));
    await reader.leave();
    const answersTo = async (who: RelayIdentity): Promise<string[]> => {
      const writer = await relay.loggedIn(who);
      const tag = toBase64Url(new Uint8Array(16).fill(who === ann ? 1 : 2));
      const first = frameFrom(who, bob, 'first', { tag, packet_id: 'pkt_firstofmine' });
      const frames = [first, first, frameFrom(who, bob, 'other', { tag, packet_id: 'pkt_firstofmine' })];
      for (let n = 0; n < 101; n += 1) frames.push(frameFrom(who, bob, `more ${n}`, { tag }));
      const answers = [];
      for (const frame of frames) answers.push(await writer.sendFrame(frame));
      return answers.map((answer) => ('code' in answer ? answer.code : answer.type));
    };
    const answers = await answersTo(eve);
    expect(answers).toEqual(await answersTo(ann));
    expect(answers.slice(0, 3)).toEqual(['stored', 'stored', 'packet_id_taken']);
    expect(answers.at(-1)).toBe('queue_full');
    const again = await relay.loggedIn(bob);
    const senders = async () => (await again.received(100), again.deliveries.map(({ parsed }) => parsed.header.from));
    expect(new Set(await senders())).toEqual(new Set([ann.address]));
    again.ack();
    await again.leave();
    expect(await (await relay.loggedIn(eve)).sendFrame(frameFrom(eve, bob, 'room again'))).toMatchObject(stored);
  });

  test('[A2C-9] frames that wait for their recipient are dropped with the block', async () => {
    const relay = await startRelay();
    const [ann, bob, eve] = (await people(relay, 'ann', 'bob', 'eve')) as [RelayIdentity, RelayIdentity, RelayIdentity];
    const writer = await relay.loggedIn(eve);
    for (let n = 0; n < 300; n += 1)
      await writer.sendFrame(frameFrom(eve, bob, 'buy', { tag: toBase64Url(new Uint8Array(16).fill(n % 5)) }));
    const reader = await relay.loggedIn(bob);
    await reader.received(256);
    await reader.request(block(eve));
    reader.ack();
    await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'hello'));
    await reader.until(() => reader.deliveries.find(({ parsed }) => parsed.header.from === ann.address));
    expect(reader.deliveries).toHaveLength(257);
  });

  test('[A2C-9] blocks, reports and directory entries have a rate of their own, for each address', async () => {
    const relay = await startRelay({ PARLEY_RELAY_REQUESTS_PER_MINUTE: '3' });
    const [ann, bob] = (await people(relay, 'ann', 'bob')) as [RelayIdentity, RelayIdentity];
    const client = await relay.loggedIn(ann);
    const requests = [
      block(bob),
      { type: 'publish' as const, ref: 'publish', ...statementOf(ann, 1), packages: [] },
      { type: 'report' as const, ref: 'report', ...reportOf(ann, bob) },
    ];
    for (const request of requests) expect(await client.request(request)).toMatchObject({ type: 'done' });
    for (const request of requests)
      expect(await client.request({ ...request, ref: 'too much' })).toMatchObject({
        code: 'rate_limited',
        retry_after_ms: expect.any(Number),
      });
    expect(await (await relay.loggedIn(bob)).request(block(ann))).toMatchObject({ type: 'done' });
    relay.ahead += 60_000;
    expect(await client.request(block(bob))).toMatchObject({ type: 'done' });
  });

  test('[A2C-9] an address blocks 1,000 others, and no more until it unblocks one', async () => {
    const relay = await startRelay({ PARLEY_RELAY_REQUESTS_PER_MINUTE: '10000' });
    const [ann] = (await people(relay, 'ann')) as [RelayIdentity];
    const client = await relay.loggedIn(ann);
    const blockOf = (n: number, blocked = true) => ({
      type: 'block' as const,
      ref: `${n} ${blocked}`,
      address: `agent:eve${n}@localhost`,
      blocked,
    });
    for (let n = 0; n < 1000; n += 1) expect(await client.request(blockOf(n))).toMatchObject({ type: 'done' });
    expect(await client.request(blockOf(1000))).toMatchObject({ code: 'too_many_blocks' });
    await relay.restart();
    const again = await relay.loggedIn(ann);
    expect(await again.request(blockOf(1000))).toMatchObject({ code: 'too_many_blocks' });
    expect(await again.request(blockOf(7))).toMatchObject({ type: 'done' });
    expect(await again.request(blockOf(7, false))).toMatchObject({ type: 'done' });
    expect(await again.request(blockOf(1001))).toMatchObject({ type: 'done' });
  });

  test('[A2C-9] frames of blocked senders leave the mailbox to others', async () => {
    const relay = await startRelay();
    const [ann, bob, ...evil] = (await people(relay, 'ann', 'bob', 'eve1', 'eve2', 'eve3')) as [RelayIdentity, ...RelayIdentity[]] &
      [RelayIdentity, RelayIdentity];
    const fill = async (who: RelayIdentity): Promise<string[]> => {
      const writer = await relay.loggedIn(who);
      const tag = (n: number) => toBase64Url(new Uint8Array(16).fill(n % 5).fill(evil.indexOf(who), 1));
      for (let n = 0; n < 400; n += 1) writer.socket.send(frameFrom(who, bob, 'x'.repeat(73_000), { tag: tag(n) }));
      const answers = () => writer.messages.filter(({ type }) => type === 'stored' || type === 'refused');
      await writer.until(() => (answers().length === 400 ? true : undefined));
      return answers().map((answer) => ('code' in answer ? answer.code : answer.type));
    };
    for (const who of evil) await fill(who);
    const friend = await relay.loggedIn(ann);
    expect(await friend.sendFrame(frameFrom(ann, bob, 'x'.repeat(73_000)))).toMatchObject({ code: 'mailbox_full' });
    const reader = await relay.loggedIn(bob);
    for (const who of evil) await reader.request(block(who));
    await reader.leave();
    await relay.restart();
    expect(new Set(await fill(evil[2]!))).toEqual(new Set(['mailbox_full']));
    expect(await (await relay.loggedIn(ann)).sendFrame(frameFrom(ann, bob, 'x'.repeat(73_000)))).toMatchObject(stored);
  });

  test('[A2C-8] [A2C-9] a device that takes over says again whom it blocks', async () => {
    const relay = await startRelay();
    const [bob, eve] = (await people(relay, 'bob', 'eve')) as [RelayIdentity, RelayIdentity];
    await (await relay.loggedIn(bob)).request(block(eve));
    const device = { ...bob, epoch: { counter: 2, device: toBase64Url(new Uint8Array(16).fill(7)) } };
    const reader = await relay.loggedIn(device);
    const writer = await relay.loggedIn(eve);
    await writer.sendFrame(frameFrom(eve, bob, 'hello again'));
    await reader.received(1);
    await reader.request(block(eve));
    await reader.leave();
    await relay.restart();
    expect(await relay.served.relay.store.blocks()).toEqual([{ owner: bob.address, address: eve.address }]);
  });
});

describe('reputation', () => {
  test('[A2C-9] one pair counts once, however often it reports', async () => {
    const relay = await startRelay();
    const [spammer, ann, bob] = (await people(relay, 'spammer', 'ann', 'bob')) as [RelayIdentity, RelayIdentity, RelayIdentity];
    for (let n = 0; n < 3; n += 1) await reportedBy(relay, spammer, [ann, bob]);
    expect(relay.served.relay.offendersNow()).toEqual([]);
  });

  test('[A2C-9] reports outlive a restart and lapse after 30 days', async () => {
    const relay = await startRelay();
    const [spammer, ...readers] = (await people(relay, 'spammer', 'ann', 'bob', 'carl')) as [RelayIdentity, ...RelayIdentity[]];
    await reportedBy(relay, spammer, readers);
    await relay.restart();
    expect(relay.served.relay.offendersNow()).toEqual([spammer.address]);
    relay.ahead = 31 * day;
    await relay.served.relay.forget();
    expect(relay.served.relay.offendersNow()).toEqual([]);
  });

  test('[A2C-9] an answer makes no report count: the peer of somebody who never wrote sends them too', async () => {
    const relay = await startRelay();
    const [ann, ...evil] = (await people(relay, 'ann', 'eve1', 'eve2', 'eve3')) as [RelayIdentity, ...RelayIdentity[]];
    for (const who of evil) await (await relay.loggedIn(who)).sendFrame(frameFrom(who, ann, 'hello'));
    await relay.restart();
    await reportedBy(relay, ann, evil);
    expect(relay.served.relay.offendersNow()).toEqual([]);
  });

  test('[A2C-9] a report is signed by its reporter', async () => {
    const relay = await startRelay();
    const [spammer, ann, eve] = (await people(relay, 'spammer', 'ann', 'eve')) as [RelayIdentity, RelayIdentity, RelayIdentity];
    const client = await relay.loggedIn(eve);
    const report = (ref: string, statement: ReturnType<typeof reportOf>) => client.request({ type: 'report', ref, ...statement });
    expect(await report('1', reportOf(ann, spammer))).toMatchObject({ code: 'bad_signature' });
    expect(await report('2', reportOf({ ...eve, address: ann.address }, spammer))).toMatchObject({ code: 'wrong_sender' });
    expect(await report('3', { ...reportOf(eve, spammer), signature: reportOf(eve, ann).signature })).toMatchObject({
      code: 'bad_signature',
    });
  });

  test('[A2C-9] metrics count blocks, reports and what waits, and name nobody', async () => {
    const relay = await startRelay();
    const [spammer, ...readers] = (await people(relay, 'spammer', 'ann', 'bob', 'carl')) as [RelayIdentity, ...RelayIdentity[]];
    await reportedBy(relay, spammer, readers);
    const ann = readers[0]!;
    await (await relay.loggedIn(ann)).request({ type: 'block', ref: 'b', address: spammer.address, blocked: true });
    await (await relay.loggedIn(spammer)).sendFrame(frameFrom(spammer, ann, 'again'));
    const metrics = await (await fetch(`${relay.served.url.replace('ws', 'http')}/metrics`, scraping)).text();
    for (const line of ['blocked_total 1', 'reports_total 3', 'offenders 1', 'waiting_frames 3'])
      expect(metrics).toContain(`\nparley_relay_${line}\n`);
    expect(metrics).not.toMatch(/spammer|ann|agent:/);
  });
});

describe('the log', () => {
  test('[A2C-3] names no address, key, code, tag, packet id or body, also where something fails', async () => {
    const relay = await startRelay({ PARLEY_RELAY_FRAMES_PER_MINUTE: '3' });
    const [ann, bob] = (await people(relay, 'annsname', 'bobsname')) as [RelayIdentity, RelayIdentity];
    const code = await relay.invite();
    const writer = await relay.loggedIn(ann);
    const packetId = 'pkt_canaryofthispacket';
    const frame = frameFrom(ann, bob, 'canary of the body', { packet_id: packetId });
    expect(await writer.sendFrame(frame)).toMatchObject(stored);
    expect(await (await relay.connect()).register(newIdentity('annsname'), code)).toMatchObject({ code: 'name_taken' });
    const full = new Error('database or disk is full');
    for (const call of ['accept', 'setBlock', 'report', 'forget'] as const)
      vi.spyOn(relay.served.relay.store, call).mockRejectedValueOnce(full);
    expect(await writer.sendFrame(frameFrom(ann, bob, 'canary of the body'))).toMatchObject({ code: 'disk_full' });
    await writer.request({ type: 'block', ref: '1', address: bob.address, blocked: true });
    await writer.request({ type: 'report', ref: '2', ...reportOf(ann, bob) });
    await relay.served.relay.forget();
    writer.socket.send(frame.subarray(3));
    for (let n = 0; n < 3; n += 1) writer.socket.send(frame);
    const broken = await relay.connect();
    broken.socket.send(new Uint8Array(1_000_000).fill(99));
    await broken.untilClosed();
    const log = relay.log.join('');
    expect(log).toContain('Frames could not be stored');
    expect(log).toContain('A request failed');
    expect(log).toContain('Old frames could not be removed');
    for (const secret of ['annsname', 'bobsname', ann.key, bob.key, code, packetId, 'canary', 'AAAAAAAAAAAA'])
      expect(log).not.toContain(secret);
  });
});

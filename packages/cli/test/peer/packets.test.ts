import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { callsOf, takeOver, VersionConflict } from '@parley/peer';
import { proposalHash } from '@parley/protocol/relay';
import { newPair, Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

test('[A2C-14] a peer that knows only version 0.1 gets packets of 0.1, and no more than it takes', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const record = (await ann.store.get('peer', bob.address))!.value as object;
  const capabilities = { supported_versions: ['0.1'], features: [], max_context_size_bytes: 100, supported_encryption: [] };
  await ann.store.commit([{ put: 'peer', key: bob.address, value: { ...record, capabilities } }]);
  await ann.send(bob, { day: 'Friday' });
  await expect(ann.send(bob, { long: 'x'.repeat(100) })).rejects.toMatchObject({ code: 'bad_input' });
  await bob.exchange();
  expect((await bob.peer.inbox()).map(({ packet }) => packet.protocol)).toEqual(['a2acp/0.1']);
  await bob.send(ann, { heard: true });
  await ann.exchange();
  // Bob's first packet says what he really knows.
  await ann.send(bob, { now: 'more' });
  await bob.exchange();
  expect((await bob.peer.inbox()).at(-1)!.packet.protocol).toBe('a2acp/0.2');
});

test('[A2C-13] a packet of an unknown type arrives; one that is no packet is dropped and counted', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { key } = await ann.peer.write(bob.address, { type: 'weather_report', context: { sky: 'clear' } });
  await ann.link.exchange(() => ann.link.deliver(key));
  const draft = await ann.peer.write(bob.address, { type: 'context', context: {} });
  const row = (await ann.store.get('outbox', draft.key))!.value as object;
  await ann.store.commit([{ put: 'outbox', key: draft.key, value: { ...row, text: '{"type":"context"}' } }]);
  await ann.link.exchange(() => ann.link.deliver(draft.key));
  await bob.exchange();
  expect((await bob.peer.inbox()).map(({ packet }) => packet.type)).toEqual(['weather_report']);
  expect(await bob.peer.list()).toMatchObject([{ address: ann.address, malformed: 1 }]);
});

test('[A2C-12] [A2C-28] a proposal arrives whole, with hints in the first packet, and both sides compute one hash', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const members = {
    proposal: { summary: 'Dinner at Dopo', details: { party_size: 2 } },
    proposal_number: 1,
    after: null,
    requires_confirmation_from: [ann.address, bob.address],
    confirmation_timeout: 'PT24H',
    from: 'agent:eve@relay.example',
  };
  await expect(ann.peer.write(bob.address, { type: 'resolution', members: { ...members, after: 'no hash' } })).rejects.toThrow('after');
  const { key, packet } = await ann.peer.write(bob.address, { type: 'resolution', members });
  await ann.link.exchange(() => ann.link.deliver(key));
  await bob.exchange();
  const [received] = await bob.peer.inbox();
  expect(received!.packet).toMatchObject({ ...members, from: ann.address, _format_hints: { dates: 'ISO 8601 (YYYY-MM-DD)' } });
  const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
  expect(proposalHash(received!.packet, sha256)).toBe(
    proposalHash({ ...members, type: 'resolution', from: ann.address, thread_id: packet.thread_id }, sha256),
  );
});

test('[A2C-9] a packet that nests too deep is dropped and counted, and the line goes on', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const draft = await ann.peer.write(bob.address, { type: 'context', context: {} });
  const row = (await ann.store.get('outbox', draft.key))!.value as { text: string };
  const text = `${row.text.slice(0, -1)},"extra":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  await ann.store.commit([{ put: 'outbox', key: draft.key, value: { ...row, text } }]);
  await ann.link.exchange(() => ann.link.deliver(draft.key));
  await ann.send(bob, { next: 'one' });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ next: 'one' }]);
  expect(await bob.peer.list()).toMatchObject([{ malformed: 1 }]);
  const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown;
  await expect(ann.send(bob, { deep })).rejects.toMatchObject({ code: 'bad_input' });
});

test('[A2C-6] a context that is legal but too large once sealed is refused before anything is stored', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const context = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`a field with number ${n}`, 0]));
  await expect(ann.send(bob, context)).rejects.toMatchObject({ code: 'bad_input' });
  expect([await ann.store.list('outbox'), await ann.store.list('packet')]).toEqual([[], []]);
  const most = { text: 'x'.repeat(65_536 - '{"text":""}'.length) };
  await ann.send(bob, most);
  await bob.exchange();
  expect(await bob.contexts()).toEqual([most]);
});

test('[A2C-7] a packet of before that is too large leaves the outbox, and the next ones go out', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const draft = await ann.peer.write(bob.address, { type: 'context', context: {} });
  const row = (await ann.store.get('outbox', draft.key))!.value as object;
  await ann.store.commit([{ put: 'outbox', key: draft.key, value: { ...row, text: 'x'.repeat(80_000) } }]);
  await expect(ann.link.exchange(() => ann.link.deliver(draft.key))).rejects.toThrow('too large');
  await ann.send(bob, { n: 2 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 2 }]);
});

test('[A2C-7] a summary names as many negotiations as one packet carries, and the next one names the others', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await bob.send(ann, { old: true });
  await ann.exchange();
  const ranges = Array.from({ length: 100 }, (_, n) => [2 ** 30 + 2 * n, 2 ** 30 + 2 * n]);
  const negotiation = (n: number) => ({
    threadId: `thr_${String(n).padStart(8, '0')}`,
    peer: bob.address,
    sent: {},
    received: [{ epoch: 1, ranges }],
    lastSeen: null,
    at: Date.now() + n,
    summarisedAt: 0,
  });
  const all = Array.from({ length: 50 }, (_, n) => negotiation(n));
  await ann.store.commit(
    all.flatMap((value) => {
      const key = `${bob.address}/${value.threadId}`;
      return [
        { put: 'negotiation', key, value },
        { put: 'open_numbers', key, value: bob.address },
      ];
    }),
  );
  const named = async (): Promise<string[]> => {
    await ann.exchange();
    expect(await ann.store.list('outbox')).toEqual([]);
    const before = bob.events.length;
    await bob.exchange();
    const [event] = bob.events.slice(before);
    const { arrival } = event as Extract<typeof event, { type: 'arrival' }>;
    const { summary } = (arrival as Extract<typeof arrival, { kind: 'packet' }>).packet;
    expect(summary!.partial).toBe(true);
    return summary!.threads.map(({ thread_id: id }) => id);
  };
  const first = await named();
  expect(first).toContain('thr_00000049');
  const second = await named();
  expect(second.filter((id) => first.includes(id))).toEqual([]);
  // A negotiation that was left out is no lost one, so nothing is sent again.
  await ann.exchange();
  expect(ann.events).not.toContainEqual({ type: 'arrival', arrival: { kind: 'repeated' } });
});

test('[A2C-7] an address that the relay does not know is final: the packet leaves the outbox', async () => {
  const [ann] = await newPair(await startRelay());
  await ann.peer.add('agent:nobody@localhost');
  const { key } = await ann.peer.write('agent:nobody@localhost', { type: 'context', context: {} });
  await expect(ann.link.exchange(() => ann.link.deliver(key))).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('It was not sent, and is not tried again.'),
  });
  expect(await ann.store.list('outbox')).toEqual([]);
  expect((await ann.store.list('packet')).map(({ value }) => value)).toMatchObject([{ state: 'failed' }]);
});

test('[A2C-7] a packet that waited and fails for good is named, by the event of a later command and by every inbox after it', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  const commands = callsOf(ann.link, (act) => ann.link.exchange(act), ann.negotiations);
  await commands.add({ card: 'agent:nobody@localhost' });
  await relay.stop();
  const lost = { to: 'agent:nobody@localhost', context: { n: 1 }, startsNew: false };
  await expect(commands.send(lost)).rejects.toMatchObject({ code: 'relay_away' });
  await relay.start();
  await commands.send({ ...lost, to: bob.address });
  const problem = expect.stringMatching(/nobody@localhost.*not tried again/);
  expect(ann.events).toMatchObject([{ type: 'refused', error: { message: problem } }]);
  const failed = [{ to: 'agent:nobody@localhost', context: { n: 1 }, problem }];
  expect(await commands.inbox()).toMatchObject({ packets: [], failed, line: null });
  // The event of a command's own packet is the very error that the command throws, so it need not be said twice.
  const thrown = await commands.send(lost).catch((error: Error) => error);
  expect(ann.events.slice(1)).toEqual([{ type: 'refused', error: thrown }]);
  expect((await commands.inbox()).failed).toHaveLength(2);
});

test('[A2C-7] a packet to somebody whose new device has published nothing yet waits for it', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await takeOver(bob.peer);
  // The line breaks right after the login.
  const isPublishing = (data: string | Uint8Array): boolean => typeof data === 'string' && data.includes('"type":"publish"');
  bob.meddler = { toRelay: (data) => (isPublishing(data) ? 'too long, so the line is closed'.repeat(4000) : data) };
  await expect(bob.exchange()).rejects.toThrow();
  await expect(ann.send(bob, { n: 1 })).rejects.toThrow('stays in the outbox');
  bob.meddler = {};
  for (const one of [bob, ann, bob]) await one.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }]);
});

test('[A2C-34] a stored row that cannot be read keeps the packet at the relay, and the line says why', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  await ann.send(bob, { n: 2 });
  const get = bob.store.get.bind(bob.store);
  bob.store.get = (kind, key) => (kind === 'session' ? Promise.reject(new Error('The row is damaged.')) : get(kind, key));
  bob.online();
  const losses = () => bob.events.filter((event) => event.type === 'disconnected');
  await expect.poll(() => losses().length).toBeGreaterThan(2);
  expect(losses()[0]).toMatchObject({ reason: expect.stringContaining('The row is damaged.') });
  // A line that never lasts is no reason to hurry.
  expect(losses()[2]!.retryMs).toBeGreaterThan(losses()[1]!.retryMs!);
  await bob.offline();
  await expect(bob.exchange()).rejects.toThrow('The row is damaged.');
  bob.store.get = get;
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }, { n: 2 }]);
});

test('[A2C-34] of two processes that use one session, the loser stores and sends nothing', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  const other = await new Person(ann.folder).open();
  const [session] = await ann.store.list('session');
  const sealed = { ...session!, ifVersion: session!.version };
  await other.store.commit([{ put: 'session', key: sealed.key, value: sealed.value, ifVersion: sealed.ifVersion }]);
  const late = ann.store.commit([
    { put: 'outbox', key: 'pkt_late', value: {} },
    { put: 'session', key: sealed.key, value: sealed.value, ifVersion: sealed.ifVersion },
  ]);
  await expect(late).rejects.toThrow(VersionConflict);
  expect(await ann.store.list('outbox')).toEqual([]);
  // Both go on from what is stored.
  await other.send(bob, { n: 2 });
  await ann.send(bob, { n: 3 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  await other.close();
});

test('[A2C-8] a copy of a folder takes the line over once, and the other stops', async () => {
  const [ann] = await newPair(await startRelay());
  ann.online();
  await expect.poll(() => ann.events).toContainEqual({ type: 'connected' });
  const copy = await new Person(ann.folder).open();
  await copy.exchange();
  await expect
    .poll(() => ann.events.at(-1))
    .toMatchObject({ type: 'disconnected', reason: expect.stringContaining('A copy of this folder'), retryMs: null });
  await copy.close();
});

test('[A2C-7] two peers compare numbers a minute after the last packet, also while both stay on line', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  expect(await ann.peer.summarise(false)).toBe(false);
  ann.ahead += 60_000;
  expect(await ann.peer.summarise(false)).toBe(true);
  await ann.exchange();
  ann.ahead += 60_000;
  expect(await ann.peer.summarise(false)).toBe(false);
});

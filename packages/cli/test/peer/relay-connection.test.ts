import { expect, onTestFinished, test } from 'vitest';
import type { ServedRelay } from '@parley/relay';
import { readFrame, toBase64Url, utf8 } from '@parley/protocol/relay';
import { LinkError, newSigningKey, type OwnIdentity, type PinnedRelay, RelayConnection, signFrame } from '@parley/peer';
import { openNodeSocket } from '@parley/peer/node';
import { headerOf, person } from './header-kit.ts';
import { startRelay } from './relay-kit.ts';

async function connected(
  served: ServedRelay,
  own: OwnIdentity,
  more: { code?: string; relay?: PinnedRelay },
  onBody: (text: string) => void = () => {},
) {
  const connection = await RelayConnection.open({
    url: served.url,
    openSocket: openNodeSocket,
    own,
    relay: more.relay,
    ...(more.code === undefined ? {} : { registration: { name: own.address.slice(6).split('@')[0]!, code: more.code } }),
    onDelivery: async ({ frame }) => onBody(new TextDecoder().decode(readFrame(frame).body)),
  });
  onTestFinished(() => connection.close());
  return connection;
}

test('[A2C-1] a peer registers, learns the relay, and logs in again under the pinned name and key', async () => {
  const relay = await startRelay();
  const { served } = relay;
  const ann = person('ann');
  const first = await connected(served, ann, { code: await relay.invite() });
  expect(first.relay).toEqual({ name: 'localhost', key: served.relay.key.public });
  first.close();
  expect((await connected(served, ann, { relay: first.relay })).ready).toMatchObject({ address: ann.address });
  for (const relay of [
    { ...first.relay, name: 'other' },
    { ...first.relay, key: toBase64Url(newSigningKey().public) },
  ])
    await expect(connected(served, ann, { relay })).rejects.toThrow(LinkError);
});

test('[A2C-6] frames are acknowledged by the relay, delivered in order, and acknowledged by the peer', async () => {
  const relay = await startRelay();
  const { served } = relay;
  const [ann, bob] = [person('ann'), person('bob')];
  const got: string[] = [];
  const writer = await connected(served, ann, { code: await relay.invite() });
  const reader = await connected(served, bob, { code: await relay.invite() }, (text) => got.push(text));
  for (let n = 0; n < 20; n += 1) {
    const header = headerOf(ann, bob, n);
    await writer.send(header.packet_id, signFrame(ann, header, utf8(`text ${n}`)));
  }
  await expect.poll(() => got).toEqual(Array.from({ length: 20 }, (_, n) => `text ${n}`));
  await expect.poll(() => served.relay.counts.acknowledged).toBe(20);
  reader.close();
});

test('[A2C-6] a delivery that could not be stored closes the line and comes again', async () => {
  const relay = await startRelay();
  const { served } = relay;
  const [ann, bob] = [person('ann'), person('bob')];
  const writer = await connected(served, ann, { code: await relay.invite() });
  const first = await connected(served, bob, { code: await relay.invite() });
  first.close();
  await first.closed;
  for (const [n, text] of ['kept', 'next'].entries()) {
    const header = headerOf(ann, bob, n);
    await writer.send(header.packet_id, signFrame(ann, header, utf8(text)));
  }
  const failing = await connected(served, bob, { relay: first.relay }, (text) => {
    if (text === 'kept') throw new Error('disk full');
  });
  await failing.closed;
  const got: string[] = [];
  await connected(served, bob, { relay: first.relay }, (text) => got.push(text));
  await expect.poll(() => got).toEqual(['kept', 'next']);
});

test('[A2C-2] a refusal names its code and whether to try again; a lost line fails what waits', async () => {
  const relay = await startRelay();
  const { served } = relay;
  const [ann, bob] = [person('ann'), person('bob')];
  const writer = await connected(served, ann, { code: await relay.invite() });
  const header = headerOf(ann, bob, 1);
  await expect(writer.send(header.packet_id, signFrame(ann, header, utf8('x')))).rejects.toMatchObject({
    code: 'unknown_address',
    mayRetry: false,
  });
  await expect(writer.request({ type: 'lookup', address: bob.address, package: true })).rejects.toMatchObject({ code: 'unknown_address' });
  await expect(connected(served, bob, { code: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_code' });
  writer.close();
  await writer.closed;
  await expect(writer.request({ type: 'lookup', address: bob.address, package: true })).rejects.toThrow(LinkError);
  await expect(connected({ ...served, url: 'ws://127.0.0.1:1' }, ann, {})).rejects.toThrow(LinkError);
});

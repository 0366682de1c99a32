// Several processes of one relay and another relay: one of them carries the frames of the line, and the others take over (A2C-10).

import { frameFrom, RelayNames, statementOf } from '@parley/testkit/relay';
import { expect, test } from 'vitest';
import { federatedRelay } from './kit/federated.ts';
import { needNats, newPrefix } from './kit/nats.ts';

test('[A2C-10] two processes of a relay share the line to another one, and the second goes on when the first ends', async ({ skip }) => {
  const shared = { PARLEY_RELAY_NATS: needNats(skip), PARLEY_RELAY_NATS_PREFIX: newPrefix() };
  const names = new RelayNames();
  const first = await federatedRelay(names, 'a.example', shared);
  const second = await federatedRelay(names, 'a.example', { ...shared, PARLEY_RELAY_DATA: first.folder });
  const other = await federatedRelay(names, 'b.example');
  const [ann, cem, bob] = [await first.registered('ann'), await second.registered('cem'), await other.registered('bob')];
  const reader = await other.loggedIn(bob);
  await reader.request({ type: 'publish', ref: 'p', ...statementOf(bob, 1), packages: [] });
  const [fromAnn, fromCem] = [await first.loggedIn(ann), await second.loggedIn(cem)];
  const lookUp = { type: 'lookup', ref: 'l', address: bob.address, package: false } as const;
  expect(await fromAnn.request(lookUp)).toMatchObject({ type: 'entry' });
  expect(await fromCem.request(lookUp)).toMatchObject({ type: 'entry' });
  for (let n = 0; n < 20; n += 1) {
    expect(await fromAnn.sendFrame(frameFrom(ann, bob, `a${n}`))).toMatchObject({ type: 'stored' });
    expect(await fromCem.sendFrame(frameFrom(cem, bob, `c${n}`))).toMatchObject({ type: 'stored' });
  }
  const ofSender = (from: string): string[] =>
    reader.deliveries.filter(({ parsed }) => parsed.header.from === from).map(({ parsed }) => new TextDecoder().decode(parsed.body));
  await reader.received(40);
  expect(ofSender(ann.address)).toEqual(Array.from({ length: 20 }, (_, n) => `a${n}`));
  expect(ofSender(cem.address)).toEqual(Array.from({ length: 20 }, (_, n) => `c${n}`));
  expect(other.served.relay.counts.stored, 'no frame came over two lines').toBe(40);

  await first.served.close();
  for (let n = 20; n < 30; n += 1) expect(await fromCem.sendFrame(frameFrom(cem, bob, `c${n}`))).toMatchObject({ type: 'stored' });
  // As if 30 s had passed.
  second.ahead = 30_000;
  second.served.relay.federation!.sweep();
  await reader.received(50);
  expect(ofSender(cem.address)).toEqual(Array.from({ length: 30 }, (_, n) => `c${n}`));
  await first.start();
});

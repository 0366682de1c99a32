import { expect, test } from 'vitest';
import { groupOf } from '@parley/peer';
import { readFrame, toBase64Url } from '@parley/protocol/relay';
import { newPair, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const hour = 3_600_000;

/** As if the relay had handed every one-time package out before: their private parts are gone. */
async function useUpPackages({ store }: Person): Promise<void> {
  const spent = (await store.list('package')).filter(({ value }) => !(value as { isLastResort: boolean }).isLastResort);
  await store.commit(spent.map(({ key }) => ({ remove: 'package', key })));
}

const keyOf = async (person: Person, of: Person): Promise<string> =>
  Buffer.from((await person.peer.peer(of.address)).key!, 'base64url').toString('hex');

test.each(['smaller', 'larger'])('[A2C-3] a package that the relay hands out twice to the %s key loses nothing', async (which) => {
  const [ann, bob] = await newPair(await startRelay());
  const isAnnSmaller = (await keyOf(bob, ann)) < (await keyOf(ann, bob));
  const [from, to] = isAnnSmaller === (which === 'smaller') ? [ann, bob] : [bob, ann];
  await useUpPackages(to);
  await from.send(to, { n: 1 });
  for (const one of [to, from, to]) await one.exchange();
  expect(await to.contexts()).toEqual([{ n: 1 }]);
  const frames = [from, to].map((one) => one.watchFrames());
  await from.send(to, { n: 2 });
  await to.send(from, { n: 3 });
  await from.send(to, { n: 4 });
  await to.exchange();
  expect([await from.contexts(), await to.contexts()]).toEqual([[{ n: 3 }], [{ n: 1 }, { n: 2 }, { n: 4 }]]);
  expect(new Set(frames.flat().map((frame) => toBase64Url(groupOf(readFrame(frame).body)))).size).toBe(1);
});

test('[A2C-3] where the relay hands out used packages of both, both publish anew and get to one session', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  for (const one of [ann, bob]) await useUpPackages(one);
  relay.ahead = ann.ahead = bob.ahead = hour;
  await ann.send(bob, { from: 'ann' });
  for (let round = 0; round < 4; round += 1) for (const one of [bob, ann]) await one.exchange();
  await bob.exchange();
  await bob.send(ann, { from: 'bob' });
  await ann.exchange();
  expect([await ann.contexts(), await bob.contexts()]).toEqual([[{ from: 'bob' }], [{ from: 'ann' }]]);
});

test.each([
  ['somebody who is known', 8],
  ['a stranger', 2],
])('[A2C-9] %s keeps at most %i sessions open here', async (who, most) => {
  const [ann, bob] = await newPair(await startRelay());
  if (who === 'a stranger') await bob.store.commit([{ remove: 'peer', key: ann.address }]);
  for (let n = 0; n < 12; n += 1) {
    for (const { key } of await ann.store.list('session')) await ann.store.commit([{ remove: 'session', key }]);
    await ann.send(bob, { n });
  }
  await bob.exchange();
  expect(await bob.contexts()).toHaveLength(12);
  expect(await bob.store.list('session')).toHaveLength(most);
  await bob.send(ann, { last: true });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ last: true }]);
});

test('[A2C-9] somebody who drains the key packages makes a peer publish 60 a day and no more', async () => {
  const relay = await startRelay();
  const [, bob] = await newPair(relay);
  const drained = (data: string | Uint8Array): string | Uint8Array =>
    typeof data === 'string' ? data.replace(/"packages":\d+/, '"packages":0') : data;
  bob.meddler = { fromRelay: drained };
  for (let n = 0; n < 4; n += 1) await bob.exchange();
  const packages = async (): Promise<number> => (await bob.store.list('package')).length;
  expect(await packages()).toBe(61);
  relay.ahead = bob.ahead = 25 * hour;
  for (let n = 0; n < 4; n += 1) await bob.exchange();
  expect(await packages()).toBe(121);
});

import { expect, test } from 'vitest';
import { newSigningKey, writeCard } from '@parley/peer';
import { toBase64Url } from '@parley/protocol/relay';
import { exchangeCards, newPair, newPerson } from './people-kit.ts';
import { holdName, startRelay, ticketIn } from './relay-kit.ts';

test('[A2C-4] a packet that was sealed before the stop does not leave while the line is stopped', async () => {
  const relay = await startRelay({ PARLEY_RELAY_QUEUE: '1' });
  const [ann, bob] = await newPair(relay);
  await bob.send(ann, { n: 1 });
  await expect(bob.send(ann, { n: 2 })).rejects.toMatchObject({ code: 'queue_full' });
  const forged = writeCard({ address: ann.address, key: toBase64Url(newSigningKey().public), relay: relay.served.url });
  await expect(bob.peer.add(forged)).rejects.toMatchObject({ code: 'line_stopped' });
  for (const one of [ann, bob, ann]) await one.exchange();
  expect(await ann.contexts()).toEqual([{ n: 1 }]);
  await bob.peer.verify(ann.address, { keeps: true });
  for (const one of [bob, ann]) await one.exchange();
  expect(await ann.contexts()).toEqual([{ n: 1 }, { n: 2 }]);
});

test('[A2C-4] frames and directory entries under a key that was replaced raise no alarm', async () => {
  const relay = await startRelay();
  await holdName(relay, 'agent:ann@localhost');
  const [ann, bob] = [await newPerson(relay, 'ann', 'first'), await newPerson(relay, 'bob')];
  await exchangeCards(ann, bob);
  const entries: string[] = [];
  const isEntry = (data: string | Uint8Array): data is string => typeof data === 'string' && data.includes('"type":"entry"');
  bob.meddler = { fromRelay: (data) => (isEntry(data) && entries.push(data), data) };
  await bob.send(ann, { to: 'ann' });
  bob.meddler = {};
  await ann.send(bob, { n: 1 });
  await relay.served.relay.store.putTicket(ann.address, ticketIn('second'));
  const renewed = await newPerson(relay, 'ann', 'second');
  await expect(bob.peer.add(renewed.peer.card())).rejects.toMatchObject({ code: 'line_stopped' });
  await bob.peer.verify(ann.address, { accepts: (await bob.peer.verify(ann.address)).safetyNumber });
  bob.meddler = {
    fromRelay: (data) => {
      const { ref } = isEntry(data) ? (JSON.parse(data) as { ref: string }) : {};
      return ref === undefined ? data : JSON.stringify({ ...(JSON.parse(entries[0]!) as object), ref });
    },
  };
  await bob.exchange();
  expect(bob.events).toContainEqual({ type: 'arrival', arrival: expect.objectContaining({ kind: 'dropped', reason: 'old_key' }) });
  const refusal = { code: 'refused', message: expect.stringContaining('a key that they replaced') };
  expect(bob.events).toContainEqual({ type: 'refused', error: expect.objectContaining(refusal) });
  bob.meddler = {};
  expect(await bob.peer.list()).toMatchObject([{ alarm: null, trust: 'verified' }]);
  await renewed.peer.add(bob.peer.card());
  await renewed.send(bob, { n: 2 });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 2 }]);
});

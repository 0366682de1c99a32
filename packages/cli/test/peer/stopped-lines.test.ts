import { expect, test } from 'vitest';
import { newSigningKey, writeCard } from '@parley/a2acp';
import { toBase64Url } from '@parley/protocol/relay';
import { newPair } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

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

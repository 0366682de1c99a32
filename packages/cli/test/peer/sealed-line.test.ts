import { expect, test } from 'vitest';
import { startRelay } from './relay-kit.ts';
import { newPair } from './people-kit.ts';

test('[A2C-3] sealed packets go both ways, and wait for who is offline', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await ann.send(bob, { day: 'Friday' });
  await ann.send(bob, { time: '19:00' });
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ day: 'Friday' }, { time: '19:00' }]);
  await bob.send(ann, { day: 'Saturday' });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ day: 'Saturday' }]);
  const [first] = await bob.peer.inbox();
  expect(first!.packet).toMatchObject({
    protocol: 'a2acp/0.2',
    type: 'context',
    sequence: { epoch: 1, number: 1 },
    capabilities: { supported_encryption: ['x25519-xchacha20-poly1305', 'mls10-x25519-xchacha20-poly1305'] },
    permissions: { shared_fields: ['day'] },
  });
  expect(first!.packet.last_seen).toBeNull();
  await bob.send(ann, { day: 'Sunday' });
  await ann.send(bob, { day: 'Sunday' });
  await bob.exchange();
  await bob.send(ann, { agreed: true });
  await ann.exchange();
  const [one, same, other] = (await ann.peer.inbox()).map(({ packet }) => packet.last_seen);
  expect(one).toMatch(/^[\w-]{43}$/);
  expect([same, other === one]).toEqual([one, false]);
});

// Two people at two relays (A2C-10). A packet takes a moment from one relay to the other, so both look until it is there.

import { readCard } from '@parley/peer';
import { frameFrom, newIdentity, RelayClient } from '@parley/testkit/relay';
import { expect, test } from 'vitest';
import { commands, eventsOf, latest, opened, prepareDinner } from './negotiation-kit.ts';
import { exchangeCards, newPerson, type Person } from './people-kit.ts';
import { federatedRelays, type TestRelay } from './relay-kit.ts';

async function twoRelays(): Promise<{ ann: Person; bob: Person; a: TestRelay; b: TestRelay }> {
  const [a, b] = await federatedRelays('a.example', 'b.example');
  const [ann, bob] = [await newPerson(a, 'ann'), await newPerson(b, 'bob')];
  await bob.exchange();
  await ann.exchange();
  await exchangeCards(ann, bob);
  return { ann, bob, a, b };
}

const received = async (person: Person): Promise<unknown[]> => (await person.exchange(), person.contexts());

test('[A2C-10] [A2C-15] two people at two relays arrange a dinner in four sealed packets and one prompt', async () => {
  const { ann, bob, a, b } = await twoRelays();
  await prepareDinner(ann, bob);
  const look = async (person: Person) => (await commands(bob).negotiations(), await commands(ann).negotiations(), latest(person));
  const { id } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await expect.poll(() => look(ann)).toMatchObject({ state: 'NEGOTIATING', prompts: 1, openPrompts: [{ kind: 'consent' }] });
  await commands(ann).consent({ id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await expect.poll(() => look(ann)).toMatchObject({ state: 'PROPOSED', packets: 4, prompts: 1 });
  expect((await latest(bob)).proposal?.hash).toBe((await latest(ann)).proposal?.hash);
  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  await commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  await expect.poll(() => look(ann)).toMatchObject({ state: 'COMPLETED' });
  await expect.poll(() => look(bob)).toMatchObject({ state: 'COMPLETED' });
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
  expect((await opened(bob)).slice(0, 2).map(({ type }) => type)).toEqual(['context', 'context_response']);
  expect([ann.failures, bob.failures]).toEqual([[], []]);
  for (const { served } of [a, b]) {
    expect(served.relay.counts).toMatchObject({ undelivered: 0, lies: 0 });
    expect(served.relay.counts.forwarded).toBeGreaterThan(2);
  }
});

test('[A2C-10] a packet that the other relay refuses for good is marked as failed, and its sender is notified', async () => {
  const { ann, bob, b } = await twoRelays();
  await ann.send(bob, { n: 1 });
  await expect.poll(() => received(bob)).toEqual([{ n: 1 }]);
  await b.served.relay.remove(bob.address);
  await ann.send(bob, { n: 2 });
  await expect
    .poll(async () => (await ann.exchange(), ann.peer.failures()))
    .toMatchObject([{ state: 'failed', packet: { context: { n: 2 } } }]);
  const refused = ann.events.flatMap((event) => (event.type === 'refused' ? [event.error.message] : []));
  expect(refused).toEqual([
    'The packet to agent:bob@b.example was not delivered: The relay b.example refused it: agent:bob@b.example is not registered here. It is not tried again.',
  ]);
});

test('[A2C-9] [A2C-10] a relay that makes up names fills no inbox: of 20 of its strangers nobody was answered, and others get through', async () => {
  const { ann, bob, a, b } = await twoRelays();
  const { value } = (await ann.store.get('peer', bob.address))!;
  const strangers = Array.from({ length: 20 }, (_, n) => `agent:stranger${n}@b.example`);
  await ann.store.commit(
    strangers.map((address) => ({
      put: 'peer',
      key: address,
      value: { ...(value as object), address, stranger: { frames: 1, bytes: 1 } },
    })),
  );
  const [next, near] = [await newPerson(b, 'next'), await newPerson(a, 'near')];
  for (const one of [next, near]) await one.peer.add(ann.peer.card());
  await next.send(ann, { from: 'next' });
  await expect
    .poll(async () => (await ann.exchange(), ann.events))
    .toContainEqual(
      expect.objectContaining({ arrival: expect.objectContaining({ kind: 'dropped', reason: 'stranger_limit' }) as unknown }),
    );
  await near.send(ann, { from: 'near' });
  await bob.send(ann, { from: 'bob' });
  await expect.poll(async () => new Set(await received(ann))).toEqual(new Set([{ from: 'near' }, { from: 'bob' }]));
});

test('[A2C-10] [A2C-4] a relay that swaps the key of its own user stops the line at the people who pinned it', async () => {
  const { ann, bob, b } = await twoRelays();
  await bob.send(ann, { n: 1 });
  await expect.poll(() => received(ann)).toEqual([{ n: 1 }]);
  // Bob's relay makes itself Bob.
  await b.served.relay.remove(bob.address);
  const impostor = newIdentity('bob', 'b.example');
  const client = await RelayClient.connect(b.served.url);
  expect(await client.register(impostor, await b.invite())).toMatchObject({ type: 'ready' });
  const annAsSeen = { ...newIdentity('ann', 'a.example'), key: readCard(ann.peer.card()).key };
  // Its own relay lets it write only to relays that it has met, which it has.
  expect(await client.sendFrame(frameFrom(impostor, annAsSeen, 'it is me'))).toMatchObject({ type: 'stored' });
  await expect.poll(() => b.served.relay.counts.forwarded).toBe(2);
  await ann.exchange();
  expect(ann.events).toContainEqual(
    expect.objectContaining({ arrival: expect.objectContaining({ kind: 'stopped', alarm: 'key_changed' }) as unknown }),
  );
  expect(await ann.contexts()).toEqual([{ n: 1 }]);
  await expect(ann.send(bob, { n: 2 })).rejects.toThrow('the key has changed');
  await client.leave();
});

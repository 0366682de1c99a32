// Ann and Bob arrange a dinner, and each is at a relay of their own: a company's and a friend's, say. The relays find each other by
// their names, prove their keys, and carry sealed packets of their own users only. The example checks the result in both calendars.

import assert from 'node:assert/strict';
import { freePort } from '@parley/testkit/free-port';
import { cleanUp, parley, type Running, start } from '../sealed-line/kit.ts';
import type { OwnPeerCalls } from '@parley/protocol';
import { answer, arrange, confirm, eventsOf, exchangeCards, promptIn, reaches, startPerson } from './people.ts';

process.env['PARLEY_RELAY_FEDERATION'] = 'on';
// Both are on this machine and without TLS, which no relay in public allows.
process.env['PARLEY_RELAY_FEDERATION_PRIVATE'] = '1';

const running: Running<unknown>[] = [];

async function personAtOwnRelay(name: string): Promise<OwnPeerCalls> {
  const data = `relay-of-${name}`;
  // A relay is named before it listens, and on one machine its port is part of its name.
  const port = await freePort();
  const relay = await start<{ url: string; relay: string }>('relay', '--data', data, '--port', `${port}`, '--name', `localhost:${port}`);
  running.unshift(relay);
  const { person, run } = await startPerson(name, relay.said.url, '--data', data);
  running.unshift(run);
  for (const field of ['dietary', 'location_preference']) await person.setTier({ field, tier: 'always_share' });
  console.log(`${name} is at the relay ${relay.said.relay.replace(/\d+$/, '…')}`);
  return person;
}

try {
  const [ann, bob] = [await personAtOwnRelay('ann'), await personAtOwnRelay('bob')];
  const bobsAddress = (await bob.me()).address!;
  await exchangeCards(ann, bob);
  await ann.setField({ field: 'cuisine_preference', value: 'Italian' });
  for (const person of [ann, bob]) {
    await person.setField({ field: 'dietary', value: 'vegetarian' });
    await person.setField({ field: 'location_preference', value: 'near the station' });
  }

  const id = await arrange(ann, bobsAddress, 'Dinner on Friday');
  const asked = await reaches(ann, id, (shown) => promptIn(shown, 'consent') !== undefined);
  const fields = promptIn(asked, 'consent')!.fields.map(({ field }) => ({
    field,
    answer: field === 'cuisine_preference' ? ('share' as const) : ('decline' as const),
  }));
  await answer(ann, id, { kind: 'consent', fields });
  const { proposal, packets } = await reaches(ann, id, ({ state }) => state === 'PROPOSED');
  console.log(`${packets} packets: ${proposal!.summary}`);
  assert.equal((await reaches(bob, id, ({ state }) => state === 'PROPOSED')).proposal?.hash, proposal!.hash);
  await confirm(bob, id);
  await confirm(ann, id);
  for (const [name, person] of Object.entries({ ann, bob })) {
    await reaches(person, id, ({ state }) => state === 'COMPLETED');
    assert.equal(await eventsOf(name), 1);
    const { relays } = await parley<{ relays: { changedKey: string | null }[] }>('relay', 'others', '--data', `relay-of-${name}`);
    assert.deepEqual(
      relays.map(({ changedKey }) => changedKey),
      [null],
    );
  }
  for (const one of running) await one.stop();
  console.log('The dinner is in both calendars, and each relay trusts the key of the other.');
} finally {
  await cleanUp();
}

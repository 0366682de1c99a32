// Measures what a packet between two relays costs both of them together, beside one that stays at one relay (A2C-10).

import { join } from 'node:path';
import { freePort } from '../../packages/testkit/src/free-port.ts';
import type { Child, start } from '../child.ts';
import type { LetterInput } from '../children/relay-clients.ts';
import type { RelayPerson, RelayReady } from '../children/relay.ts';
import { medians, round, times } from '../stats.ts';
import { eachPairs, nameOf, relaySide, type Side, sideOf } from './relay.ts';

async function federatedRelay(run: typeof start, folder: string): Promise<{ relay: Child<RelayReady>; name: string }> {
  // On one machine the port is part of a relay's name, so it is chosen before the relay starts.
  const port = String(await freePort());
  const name = `localhost:${port}`;
  const relay = await run<RelayReady>('relay', {
    PARLEY_RELAY_DATA: folder,
    PARLEY_RELAY_PORT: port,
    PARLEY_RELAY_NAME: name,
    PARLEY_RELAY_FEDERATION: 'on',
    PARLEY_RELAY_FEDERATION_PRIVATE: '1',
  });
  return { relay, name };
}

/** Writers at one relay, readers at the other. */
async function twoRelays(run: typeof start, folder: string, letters: LetterInput): Promise<Side> {
  const [home, away] = [await federatedRelay(run, join(folder, 'home')), await federatedRelay(run, join(folder, 'away'))];
  const clients = await run('relay-clients');
  const count = letters.pairs;
  for (const { relay, name } of [home, away])
    await relay.ask('register', await clients.ask<RelayPerson[]>('people', { prefix: 'p', count, relay: name }));
  await home.relay.ask('meet', `agent:p0@${away.name}`);
  await clients.ask('logIn', { url: home.relay.ready.url, from: 0, count });
  await clients.ask('logIn', { url: away.relay.ready.url, from: count, count });
  return sideOf([home.relay, away.relay], clients, letters, true);
}

export const relayFederation = eachPairs(10_000, async (letters, { quick }, run, folder) => {
  const local = await relaySide(run, join(folder, 'one'), letters);
  const federated = await twoRelays(run, folder, letters);
  const found = await medians(quick ? 3 : 7, async () => {
    const one = (await local.measure()).micros;
    const two = (await federated.measure()).micros;
    return { one, two, ratio: two / one };
  });
  return [
    {
      what: `Processor time of two relays per packet of 1 KiB between them, ${nameOf(letters.pairs)}, against a packet at one relay`,
      result: times(found.ratio),
      target: { text: '≤ 2.2 ×', met: found.ratio <= 2.2 },
      from: `${round(found.two)} µs (both together) against ${round(found.one)} µs (medians, in turns)`,
    },
  ];
});

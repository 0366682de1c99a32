// Measures what a second relay process over NATS costs, and how fast packets go beside JetStream's own client.

import { startNats } from '../../packages/testkit/src/setup/nats.ts';
import type { start } from '../child.ts';
import type { LetterInput } from '../children/relay-clients.ts';
import type { RelayPerson, RelayReady } from '../children/relay.ts';
import type { Scenario } from '../kit.ts';
import { medians, perSecond, round, times } from '../stats.ts';
import { eachPairs, nameOf, natsRate, type Side, sideOf } from './relay.ts';

/** Writers at the first process, readers at the last. */
async function natsSide(run: typeof start, folder: string, servers: string, processes: number, letters: LetterInput): Promise<Side> {
  const settings = {
    PARLEY_RELAY_DATA: folder,
    PARLEY_RELAY_NATS: servers,
    PARLEY_RELAY_NATS_PREFIX: `bench${processes}of${letters.pairs}`,
  };
  const relays = [];
  for (let n = 0; n < processes; n += 1) relays.push(await run<RelayReady>('relay', settings));
  const clients = await run('relay-clients');
  const people = await clients.ask<RelayPerson[]>('people', { prefix: 'p', count: letters.pairs * 2 });
  await relays[0]!.ask('register', people);
  await clients.ask('logIn', { url: relays[0]!.ready.url, from: 0, count: letters.pairs });
  await clients.ask('logIn', { url: relays.at(-1)!.ready.url, from: letters.pairs, count: letters.pairs });
  return sideOf(relays, clients, letters, true);
}

const what = (pairs: number): string => `Relay's processor time per packet over NATS, ${nameOf(pairs)}, two processes against one`;

export const relayNats: Scenario = async (bench) => {
  const nats = await startNats();
  if (!nats) return [{ what: what(1), result: 'not measured', from: 'there is no nats-server on the PATH' }];
  const lines = await eachPairs(10_000, async (letters, { quick }, run, folder) => {
    const one = await natsSide(run, folder, nats.url, 1, letters);
    const two = await natsSide(run, folder, nats.url, 2, letters);
    const other = await natsRate(run, letters);
    const found = await medians(quick ? 3 : 7, async () => {
      const [alone, together] = [await one.measure(), await two.measure()];
      const theirs = 'missing' in other ? 0 : await other.rate();
      return { alone: alone.micros, together: together.micros, ratio: together.micros / alone.micros, rate: together.rate, theirs };
    });
    if (!('missing' in other)) await other.stop();
    return [
      {
        what: what(letters.pairs),
        result: times(found.ratio),
        target: { text: '≤ 1.25 ×', met: found.ratio <= 1.25 },
        from: `${round(found.together)} µs against ${round(found.alone)} µs (medians, in turns; 1 KiB)`,
      },
      {
        what: `Packets a second over two relay processes and NATS, ${nameOf(letters.pairs)}, beside JetStream's own client`,
        result: perSecond(found.rate),
        from: `JetStream's own ${perSecond(found.theirs)}; it verifies no signatures and remembers no ids`,
      },
    ];
  })(bench);
  await nats.stop();
  return lines;
};

// How many durable messages a second, as a share of what the framework does with the same request and no hub behind it,
// and what the hub adds to the time of a request, in units of the one thing that cannot be saved: the synced commit.

import { join } from 'node:path';
import { type Bench, body, fiftyClients, post, type Scenario, startHub, withGround } from '../kit.ts';
import { Raw } from '../raw.ts';
import { median, medians, ms, percent, perSecond, times } from '../stats.ts';

const inFlight = 50;

const compare = ({ quick }: Bench, databaseUrl?: string) =>
  withGround(async (run, folder) => {
    const rounds = quick ? 3 : 11;
    const spanMs = quick ? 700 : 2000;
    const load = await run('load');
    const bare = await run<{ port: number }>('bare-fastify');
    const hub = await startHub(run, join(folder, 'hub'), databaseUrl);
    const raw = new Raw(join(folder, 'raw.db'));
    const clients = await fiftyClients(hub);
    // Both have to be compiled before they are compared; a hub has more to compile.
    await post(load, bare.ready.port, clients, { ms: quick ? 500 : 2000 });
    await post(load, hub.ready.port, clients, { ms: quick ? 1500 : 6000 });
    // In turns, so that what else the machine does in a second falls on all of them.
    const found = await medians(rounds, async () => {
      const plain = await post(load, bare.ready.port, clients, { ms: spanMs });
      const full = await post(load, hub.ready.port, clients, { ms: spanMs });
      await hub.ask('settle');
      // One member alone, with as many requests under way: a bridge or an import.
      const alone = await post(
        load,
        hub.ready.port,
        Array.from(clients, () => clients[0]!),
        { ms: spanMs },
      );
      await hub.ask('settle');
      const commit = median(raw.commit(20, body, inFlight));
      return {
        share: full.perSecond / plain.perSecond,
        alone: alone.perSecond,
        aloneShare: alone.perSecond / full.perSecond,
        bare: plain.perSecond,
        hub: full.perSecond,
        bareMedian: plain.median,
        hubMedian: full.median,
        commit,
        added: (full.median - plain.median) / commit,
      };
    });
    raw.close();
    return {
      ...found,
      from: `${perSecond(found.hub)} against ${perSecond(found.bare)} of a bare POST (medians of ${rounds} rounds in turns)`,
    };
  });

export const messages: Scenario = async (bench) => {
  const { share, from, alone, aloneShare, hub: together, added, hubMedian, bareMedian, commit } = await compare(bench);
  return [
    {
      what: `Durable messages over HTTP, 50 clients, 20 channels, ${body.length} characters each`,
      result: percent(share),
      target: { text: '≥ 35 %', met: share >= 0.35 },
      from,
    },
    {
      what: `The same from one member with ${inFlight} requests under way, against ${inFlight} members with one each`,
      result: times(aloneShare),
      target: { text: '≥ 0.9 ×', met: aloneShare >= 0.9 },
      from: `${perSecond(alone)} against ${perSecond(together)}`,
    },
    {
      what: `Time that the hub adds to the median answer at that load, against the rows of ${inFlight} messages in one raw synced transaction`,
      result: times(added),
      target: { text: '≤ 2 ×', met: added <= 2 },
      from: `${ms(hubMedian)} less ${ms(bareMedian)} of a bare POST, over ${ms(commit)}`,
    },
  ];
};

export const postgres: Scenario = async (bench) => {
  const { share, from } = await compare(bench, await bench.postgresUrl());
  return [{ what: 'The same messages on PostgreSQL, on the same machine', result: percent(share), from }];
};

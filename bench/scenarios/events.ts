// How many events a second are accepted durably, as a share of what the framework does with the same request and no hub
// behind it.

import { join } from 'node:path';
import { fiftyMonitors, onFreshGround, post, startHub } from '../kit.ts';
import { numbered } from '../children/serve.ts';
import { medians, percent, perSecond } from '../stats.ts';
import { oneType } from '../triggers.ts';

/** A region that no trigger waits for. */
const nowhere = 'nowhere';

export const events = onFreshGround(async ({ quick }, run, folder) => {
  const rounds = quick ? 3 : 11;
  const spanMs = quick ? 700 : 2000;
  const load = await run('load');
  const bare = await run<{ port: number }>('bare-fastify');
  const hub = await startHub(run, join(folder, 'hub'));
  const made = oneType(100, 10);
  const triggers = made.triggers.map(({ trigger }) => trigger);
  const clients = await fiftyMonitors(hub, triggers);
  const matching = made.events.map((event) => JSON.stringify({ ...event, id: `evt_${numbered}` }));
  const none = made.events.map((event) => JSON.stringify({ ...event, id: `evt_${numbered}`, data: { ...event.data, region: nowhere } }));
  const some = [matching[0]!, ...none.slice(1)];
  // Both have to be compiled before they are compared; a hub has more to compile.
  await post(load, bare.ready.port, clients, { ms: quick ? 500 : 2000 }, none);
  await post(load, hub.ready.port, clients, { ms: quick ? 1500 : 6000 }, some);
  // In turns, so that what else the machine does in a second falls on all of them.
  const found = await medians(rounds, async () => {
    const plain = await post(load, bare.ready.port, clients, { ms: spanMs }, none);
    const unmatched = await post(load, hub.ready.port, clients, { ms: spanMs }, none);
    const mixed = await post(load, hub.ready.port, clients, { ms: spanMs }, some);
    return {
      bare: plain.perSecond,
      none: unmatched.perSecond,
      some: mixed.perSecond,
      noneShare: unmatched.perSecond / plain.perSecond,
      someShare: mixed.perSecond / plain.perSecond,
    };
  });
  const from = (rate: number) =>
    `${perSecond(rate)} against ${perSecond(found.bare)} of a bare POST (medians of ${rounds} rounds in turns)`;
  return [
    {
      what: 'Durable events over HTTP, 50 monitors, 100 triggers on their type of which none matches',
      result: percent(found.noneShare),
      target: { text: '≥ 35 %', met: found.noneShare >= 0.35 },
      from: from(found.none),
    },
    {
      what: 'The same, one event in ten starting an invocation',
      result: percent(found.someShare),
      target: { text: '≥ 35 %', met: found.someShare >= 0.35 },
      from: from(found.some),
    },
  ];
});

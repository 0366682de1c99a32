// Measures a message that addresses nobody in a room full of agents: their number must not matter.

import type { Crowd, People } from '../children/seed.ts';
import { type Client, clientIn, onFreshGround, post, startHub } from '../kit.ts';
import { medians, ms, times } from '../stats.ts';

const few = 10;
const many = 10_000;

export const crowd = onFreshGround(async ({ quick }, run, folder) => {
  const load = await run('load');
  const hub = await startHub(run, folder);
  const people: Crowd = { prefix: 'said', count: 10, sets: [few, many].map(() => ({ channels: 1, members: 10, each: 1 })) };
  const made = await hub.ask<People>('people', people);
  for (const [i, agents] of [few, many].entries())
    await hub.ask('agents', { prefix: `crowd${i}-`, count: agents, channel: made.sets[i]![0]! });
  const [small, large] = [0, 1].map((set) => made.people.map((person) => clientIn(person, set))) as [Client[], Client[]];
  const each = { ms: quick ? 700 : 2000 };
  for (const clients of [small, large]) await post(load, hub.ready.port, clients, each);
  const rounds = quick ? 3 : 11;
  const found = await medians(rounds, async () => {
    const atFew = (await post(load, hub.ready.port, small, each)).median;
    const atMany = (await post(load, hub.ready.port, large, each)).median;
    await hub.ask('settle');
    return { atFew, atMany, ratio: atMany / atFew };
  });
  return [
    {
      what: `An ambient message in a polite channel of ${many.toLocaleString('en')} agents, against one of ${few}`,
      result: times(found.ratio),
      target: { text: '≤ 1.2 ×', met: found.ratio <= 1.2 },
      from: `${ms(found.atMany)} against ${ms(found.atFew)}, ten clients each (medians of ${rounds} rounds in turns)`,
    },
  ];
});

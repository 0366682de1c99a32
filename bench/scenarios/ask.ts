// Measures the time until one agent has another's answer, both on sockets, beside as many raw synced commits as the answer
// takes.

import { join } from 'node:path';
import type { Asked, CrewInput } from '../children/crew.ts';
import type { Hands, Requests } from '../children/seed.ts';
import { body, onFreshGround, startHub } from '../kit.ts';
import { Raw } from '../raw.ts';
import { median, medians, ms, round, times } from '../stats.ts';

/** A chain has at most 50 tasks; each round is one. */
const each = 40;

export const ask = onFreshGround(async ({ quick }, run, folder) => {
  const hub = await startHub(run, join(folder, 'hub'));
  const crew = await run('crew');
  const raw = new Raw(join(folder, 'raw.db'));
  const { agents, ...place } = await hub.ask<Hands>('hands', { prefix: 'pair', count: 2 });
  const [asker, answerer] = agents as [Hands['agents'][number], Hands['agents'][number]];
  await crew.ask('pair', { url: hub.ready.url, asker, answerer } satisfies CrewInput);
  const asking = async (): Promise<Asked> => {
    const samples = crew.ask<Asked>('nextAsks', { count: each });
    await hub.ask('request', { ...place, handles: [asker.handle] } satisfies Requests);
    return samples;
  };
  for (let i = 0; i < (quick ? 3 : 15); i++) await asking();
  await hub.ask('settle');
  const rounds = quick ? 3 : 21;
  const found = await medians(rounds, async () => {
    const before = await hub.ask<number>('groups');
    const trip = median(await asking());
    // The request, the beginning and the answer of the round itself are a few more.
    const groups = Math.floor(((await hub.ask<number>('groups')) - before) / each);
    const commits = raw.commit(each * groups, body);
    const raws = median(Array.from({ length: each }, (_, i) => commits.slice(i * groups, (i + 1) * groups).reduce((a, b) => a + b)));
    await hub.ask('settle');
    return { trip, raws, groups, ratio: trip / raws };
  });
  raw.close();
  return [
    {
      what: 'An `ask` between two agents on sockets, there and back, against as many raw synced commits as it takes',
      result: times(found.ratio),
      from: `${ms(found.trip)} against ${ms(found.raws)} of ${round(found.groups)} commits (medians of ${rounds} rounds of ${each} in turns)`,
    },
  ];
});

// Ten thousand delegations that are being worked on at once: what the hub keeps of each in memory, and how long it takes until
// all of them go on after a restart: every agent reconnects by itself, and the hub confirms the tasks that it holds.

import type { TeamsInput } from '../children/crew.ts';
import type { HubReady } from '../children/hub.ts';
import type { Hands, Requests } from '../children/seed.ts';
import { onFreshGround, roomy, startHub } from '../kit.ts';
import { mb, median, ms, round } from '../stats.ts';
import type { Memory } from '../machine.ts';

const perChain = 10;
const perTeam = 10;

export const delegations = onFreshGround(async ({ quick }, run, folder) => {
  const teamCount = quick ? 1 : 10;
  const chains = teamCount * perTeam * 10;
  const inFlight = chains * perChain;
  let hub = await startHub(run, folder);
  const crew = await run('crew');
  const { agents, ...place } = await hub.ask<Hands>('hands', { prefix: 'hand', count: teamCount * (perTeam + perChain) });
  const teams = Array.from({ length: teamCount }, (_, i) => {
    const from = i * (perTeam + perChain);
    return { callers: agents.slice(from, from + perTeam), targets: agents.slice(from + perTeam, from + perTeam + perChain) };
  });
  await crew.ask('teams', { url: hub.ready.url, teams } satisfies TeamsInput);
  const callers = teams.flatMap((team) => team.callers.map(({ handle }) => handle));
  const begin = async (each: number): Promise<void> => {
    await hub.ask('request', { ...place, handles: Array.from({ length: each }, () => callers).flat() } satisfies Requests);
    await crew.ask('holding', { count: each * callers.length * perChain });
  };
  // One of each first, to its end: connections, statements and code are there then.
  await begin(1);
  await crew.ask('ending', { chains: callers.length });
  const before = await hub.ask<Memory>('memory');
  await begin(10);
  const after = await hub.ask<Memory>('memory');
  const found = await hub.ask<{ pending: number; active: number }>('pending');
  if (found.pending !== inFlight || found.active !== inFlight) throw new Error(`In flight are ${JSON.stringify(found)}`);

  const restarts: number[] = [];
  for (let i = 0; i < (quick ? 1 : 3); i++) {
    const resumed = crew.ask<number>('resumed');
    await hub.stop();
    const began = Date.now();
    hub = await run<HubReady>('hub', { ...roomy, PARLEY_PORT: String(hub.ready.port), PARLEY_DATA: folder, PARLEY_DATABASE_URL: '' });
    restarts.push((await resumed) - began);
  }
  await crew.ask('ending', { chains });
  const heap = (after.heap - before.heap) / inFlight;
  const restart = median(restarts);
  const many = `${inFlight.toLocaleString('en')} delegations in flight over ${chains.toLocaleString('en')} chains`;
  return [
    {
      what: `Memory of the hub for each of ${many}`,
      result: `${round(heap / 1024)} KB`,
      target: { text: '< 4 KB', met: heap < 4096 },
      from: `heap and buffers after a collection, ${mb(before.heap)} before and ${mb(after.heap)} with them; resident set ${mb(before.rss)} and ${mb(after.rss)}`,
    },
    {
      what: 'A restart with these, from the start of the hub until it has told every agent that its work goes on',
      result: ms(restart),
      target: { text: '≤ 5 s', met: restart <= 5000 },
      from: `median of ${restarts.length}, ${ms(Math.max(...restarts))} the slowest; ${agents.length} agents on sockets; all finished afterwards`,
    },
  ];
});

// How long a POST takes for a single client, whose commits carry one message each. The result depends on the disk: the
// hub's own share is about the same everywhere, and it counts the more, the faster the disk syncs.

import { join } from 'node:path';
import { type Bench, body, fiftyClients, onFreshGround, post, type Scenario, startHub, withGround } from '../kit.ts';
import { Raw } from '../raw.ts';
import { median, medians, ms, times } from '../stats.ts';
import type { Line } from '../report.ts';

export const latency = onFreshGround(async ({ quick }, run, folder) => {
  const load = await run('load');
  const bare = await run<{ port: number }>('bare-fastify');
  const hub = await startHub(run, join(folder, 'hub'));
  const raw = new Raw(join(folder, 'raw.db'));
  const clients = await fiftyClients(hub);
  const oneClient = clients.slice(0, 1);
  const posts = quick ? 50 : 200;
  const rounds = quick ? 3 : 15;
  const warmUp = async (): Promise<void> => {
    await post(load, bare.ready.port, clients, { ms: quick ? 300 : 1500 });
    await post(load, hub.ready.port, clients, { ms: quick ? 700 : 4000 });
    raw.commit(200, body);
  };
  await warmUp();
  const measured = await medians(rounds, async () => {
    const bareMs = (await post(load, bare.ready.port, oneClient, { each: posts })).median;
    const hubMs = (await post(load, hub.ready.port, oneClient, { each: posts })).median;
    const commitMs = median(raw.commit(posts, body));
    return { bareMs, hubMs, commitMs, ratio: (hubMs - bareMs) / commitMs };
  });
  raw.close();
  return [
    {
      what: 'Time that the hub adds to a POST of a single client, against the rows of one message in one raw synced transaction',
      result: times(measured.ratio),
      from: `${ms(measured.hubMs)} less ${ms(measured.bareMs)} of a bare POST, over ${ms(measured.commitMs)} (medians of ${rounds} rounds of ${posts})`,
    },
  ];
});

// How long anything may have to wait for the hub's main thread while fifty clients post as fast as they can.

export const delay = onFreshGround(async ({ quick }, run, folder) => {
  const load = await run('load');
  const hub = await startHub(run, folder);
  const clients = await fiftyClients(hub);
  const spanMs = quick ? 1000 : 4000;
  await post(load, hub.ready.port, clients, { ms: quick ? 1000 : 4000 });
  const during = async (work: () => Promise<unknown>): Promise<number> => {
    await hub.ask('delay.start');
    await work();
    return hub.ask<number>('delay.read');
  };
  const rounds = quick ? 1 : 5;
  const found = await medians(rounds, async () => {
    const idle = await during(() => new Promise((resolve) => setTimeout(resolve, spanMs)));
    const busy = await during(() => post(load, hub.ready.port, clients, { ms: spanMs }));
    return { idle, busy, more: busy - idle };
  });
  return [
    {
      what: 'Event-loop delay under that load, 99th percentile, above idle',
      result: ms(found.more),
      target: { text: '≤ 20 ms', met: found.more <= 20 },
      from: `${ms(found.busy)} against ${ms(found.idle)} idle (medians of ${rounds} rounds)`,
    },
  ];
});

// A rare command names no rows beforehand, so its group goes to the database again for them. The posts that are in the same group
// wait for that: this says how long.

/** One rare command in this time. */
const everyMs = 20;

const compare = ({ quick }: Bench, engine: string, databaseUrl?: string): Promise<Line> =>
  withGround(async (run, folder) => {
    const rounds = quick ? 3 : 11;
    const spanMs = quick ? 700 : 2000;
    const load = await run('load');
    const hub = await startHub(run, join(folder, 'hub'), databaseUrl);
    const clients = await fiftyClients(hub);
    const posts = () => post(load, hub.ready.port, clients, { ms: spanMs });
    await post(load, hub.ready.port, clients, { ms: quick ? 1500 : 6000 });
    const found = await medians(rounds, async () => {
      const alone = await posts();
      await hub.ask('settle');
      const [mixed, commands] = await Promise.all([posts(), hub.ask<number>('rare', { ms: spanMs, everyMs })]);
      await hub.ask('settle');
      return { alone: alone.p99, mixed: mixed.p99, ratio: mixed.p99 / alone.p99, commands };
    });
    return {
      what: `Posts of 50 clients beside rare commands, 99th percentile, ${engine}`,
      result: times(found.ratio),
      target: { text: '≤ 1.1 ×', met: found.ratio <= 1.1 },
      from: `${ms(found.mixed)} beside ${found.commands} rare commands against ${ms(found.alone)} without (medians of ${rounds} rounds in turns)`,
    };
  });

export const cold: Scenario = async (bench) => [
  await compare(bench, 'SQLite'),
  await compare(bench, 'PostgreSQL', await bench.postgresUrl()),
];

// A rare command names no rows beforehand, so its group goes to the database again for them. The posts that are in the same group
// wait for that: this says how long.

import { join } from 'node:path';
import { type Bench, fiftyClients, post, type Scenario, startHub, withChildren, withFolder } from '../kit.ts';
import type { Line } from '../report.ts';
import { medians, ms, times } from '../stats.ts';

/** One rare command in this time. */
const everyMs = 20;

const compare = ({ quick }: Bench, engine: string, databaseUrl?: string): Promise<Line> =>
  withFolder((folder) =>
    withChildren(async (run) => {
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
    }),
  );

export const cold: Scenario = async (bench) => [
  await compare(bench, 'SQLite'),
  await compare(bench, 'PostgreSQL', await bench.postgresUrl()),
];

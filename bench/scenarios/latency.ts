// The same for a single client, with nobody to share a commit with. How this comes out hangs on the disk: the hub's own
// part is about the same everywhere, and the faster the sync, the more it counts.

import { join } from 'node:path';
import { body, fiftyClients, post, type Scenario, startHub, withChildren, withFolder } from '../kit.ts';
import { Raw } from '../raw.ts';
import { median, medians, ms, times } from '../stats.ts';

export const latency: Scenario = ({ quick }) =>
  withFolder((folder) =>
    withChildren(async (run) => {
      const load = await run('load');
      const bare = await run<{ port: number }>('bare-fastify');
      const hub = await startHub(run, join(folder, 'hub'));
      const raw = new Raw(join(folder, 'raw.db'));
      const clients = await fiftyClients(hub);
      const alone = clients.slice(0, 1);
      const each = quick ? 50 : 200;
      const rounds = quick ? 3 : 15;
      await post(load, bare.ready.port, clients, { ms: quick ? 300 : 1500 });
      await post(load, hub.ready.port, clients, { ms: quick ? 700 : 4000 });
      raw.commit(200, body);
      const found = await medians(rounds, async () => {
        const plain = (await post(load, bare.ready.port, alone, { each })).median;
        const full = (await post(load, hub.ready.port, alone, { each })).median;
        const commit = median(raw.commit(each, body));
        return { plain, full, commit, ratio: (full - plain) / commit };
      });
      raw.close();
      return [
        {
          what: 'Time that the hub adds to a POST of a single client, against the rows of one message in one raw synced transaction',
          result: times(found.ratio),
          from: `${ms(found.full)} less ${ms(found.plain)} of a bare POST, over ${ms(found.commit)} (medians of ${rounds} rounds of ${each})`,
        },
      ];
    }),
  );

// How long a POST takes for a single client, whose commits carry one message each. The result depends on the disk: the
// hub's own share is about the same everywhere, and it counts the more, the faster the disk syncs.

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
    }),
  );

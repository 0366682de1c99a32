// How long anything may have to wait for the hub's main thread while fifty clients post as fast as they can.

import { fiftyClients, post, type Scenario, startHub, withChildren, withFolder } from '../kit.ts';
import { medians, ms } from '../stats.ts';

export const delay: Scenario = ({ quick }) =>
  withFolder((folder) =>
    withChildren(async (run) => {
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
    }),
  );

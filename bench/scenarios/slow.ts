// Sockets that never read, in every conversation: the others must not notice.

import type { OpenInput, TalkResult } from '../children/listeners.ts';
import type { People } from '../children/seed.ts';
import { type Scenario, startHub, withChildren, withFolder } from '../kit.ts';
import { medians, ms, times } from '../stats.ts';
import { postsIn } from './fanout.ts';

const slowOnes = 3;
/** Long enough to fill what the system buffers for a socket and then what the hub does, within one round. */
const longBody = 'x'.repeat(60_000);

export const slow: Scenario = ({ quick }) =>
  withFolder((folder) =>
    withChildren(async (run) => {
      const hub = await startHub(run, folder);
      const listeners = await run('listeners');
      const { port } = hub.ready;
      const members = 100;
      const set = { channels: 50, members, each: 4 };
      const crowd = await hub.ask<People>('people', { prefix: 'ear', count: members, sets: [set] });
      const idle = await hub.ask<People>('people', { prefix: 'idle', count: slowOnes, sets: [] });
      await hub.ask('join', { people: idle.people.map(({ memberId, tokenId }) => ({ memberId, tokenId })), channels: crowd.sets[0] });
      const talk = { port, posts: postsIn(crowd, 0, 300), everyMs: 20, body: longBody, audience: (members * set.each) / set.channels };
      await listeners.ask('open', { port, tokens: crowd.people.map(({ token }) => token) } satisfies OpenInput);
      await listeners.ask<TalkResult>('talk', { ...talk, posts: talk.posts.slice(0, 100) });
      let cut = 0;
      const rounds = quick ? 1 : 4;
      const found = await medians(rounds, async () => {
        const without = (await listeners.ask<TalkResult>('talk', talk)).median;
        await listeners.ask('openSlow', { port, tokens: idle.people.map(({ token }) => token) } satisfies OpenInput);
        const beside = (await listeners.ask<TalkResult>('talk', talk)).median;
        cut += await listeners.ask<number>('closeSlow');
        return { without, beside, ratio: beside / without };
      });
      return [
        {
          what: `Delivery to others beside ${slowOnes} sockets that never read`,
          result: times(found.ratio),
          target: { text: '≤ 1.2 ×', met: found.ratio <= 1.2 },
          from: `${ms(found.beside)} against ${ms(found.without)} without them (medians); ${cut} of ${rounds * slowOnes} were cut off on the way`,
        },
      ];
    }),
  );

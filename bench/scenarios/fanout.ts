// Measures the delivery of a message to one socket, and whether the number of other sockets matters. Every message goes to
// forty sockets, spread over all that are open; so only their number changes.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../child.ts';
import type { HubReady } from '../children/hub.ts';
import type { OpenInput, TalkInput, TalkResult } from '../children/listeners.ts';
import type { People } from '../children/seed.ts';
import { body, onFreshGround, startHub } from '../kit.ts';
import { median, round, times, medians, ms } from '../stats.ts';

const channels = 50;
const audience = 40;

/** Each channel in turn, spoken in by someone who is in it. */
function postsIn({ sets, people }: People, set: number, count: number): TalkInput['posts'] {
  const speaker = new Map(people.flatMap(({ token, channels: of }) => (of[set] ?? []).map((channel) => [channel, token])));
  return Array.from({ length: count }, (_, i) => {
    const channel = sets[set]![i % sets[set]!.length]!;
    return { channel, token: speaker.get(channel)! };
  });
}

/** Everyone gets the presence of everyone else; that has to be over before anything else is counted. */
async function quiet(hub: Child<HubReady>): Promise<void> {
  for (let i = 0; i < 240; i++) {
    const before = await hub.ask<number>('cpu');
    await sleep(250);
    if ((await hub.ask<number>('cpu')) - before < 25_000) return;
  }
  throw new Error('The hub does not come to rest');
}

/** Microseconds of the hub's processor time per delivery. */
async function cost(hub: Child<HubReady>, listeners: Child<unknown>, talk: TalkInput): Promise<number> {
  await quiet(hub);
  const before = await hub.ask<number>('cpu');
  const { delivered } = await listeners.ask<TalkResult>('talk', talk);
  return ((await hub.ask<number>('cpu')) - before) / delivered;
}

export const fanout = onFreshGround(async ({ quick }, run, folder) => {
  const sizes = quick ? [100, 200, 400] : [100, 500, 1000, 2000];
  const largest = sizes.at(-1)!;
  const hub = await startHub(run, folder);
  const listeners = await run('listeners');
  const { port } = hub.ready;
  const sets = sizes.map((members) => ({ channels, members, each: Math.min(channels, (channels * audience) / members) }));
  const crowd = await hub.ask<People>('people', { prefix: 'ear', count: largest, sets });
  const costs = new Map(sizes.map((size) => [size, [] as number[]]));
  const measure = async (size: number): Promise<void> => {
    const set = sizes.indexOf(size);
    const posts = postsIn(crowd, set, quick ? 100 : 300);
    costs.get(size)!.push(await cost(hub, listeners, { port, posts, everyMs: 10, body, audience: (size * sets[set]!.each) / channels }));
  };
  for (let pass = 0; pass < (quick ? 1 : 3); pass++) {
    // Up and down again: what the hub or the machine does over time falls on all sizes.
    let open = 0;
    for (const size of sizes) {
      await listeners.ask('open', { port, tokens: crowd.people.slice(open, size).map(({ token }) => token) } satisfies OpenInput);
      open = size;
      if (pass === 0 && size === sizes[0]) await measure(size).then(() => costs.get(size)!.pop());
      await measure(size);
    }
    for (const size of sizes.toReversed()) {
      await listeners.ask('close', { keep: size });
      await measure(size);
    }
    await listeners.ask('close', { keep: 0 });
  }
  const found = sizes.map((size) => ({ size, cost: median(costs.get(size)!) }));
  const ratio = found.at(-1)!.cost / found[0]!.cost;
  return [
    {
      what: `Hub processor time per delivered message, ${largest} open sockets against ${sizes[0]}, 50 conversations`,
      result: times(ratio),
      target: { text: '≤ 1.2 ×', met: ratio <= 1.2 },
      from: `${found.map(({ size, cost: us }) => `${round(us)} µs at ${size}`).join(', ')}; posting included, each message to ${audience} sockets`,
    },
  ];
});

// Sockets that never read, in every conversation: the others must not notice.

const slowOnes = 3;
/** Long enough to fill what the system buffers for a socket and then what the hub does, within one round. */
const longBody = 'x'.repeat(60_000);

export const slow = onFreshGround(async ({ quick }, run, folder) => {
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
});

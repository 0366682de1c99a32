// Durable messages and events of this checkout and of another one, in turns: what else the machine does in a second falls on
// both, and the ratio within a round is what counts.

import { join, resolve } from 'node:path';
import type { Child } from '../child.ts';
import type { HubReady } from '../children/hub.ts';
import { type Client, fiftyClients, fiftyMonitors, post, type Scenario, startHub, withGround } from '../kit.ts';
import { numbered } from '../children/serve.ts';
import { medians, perSecond, times } from '../stats.ts';
import { oneType } from '../triggers.ts';

interface Side {
  port: number;
  settle: () => Promise<unknown>;
  people: Client[];
  monitors: Client[];
}

const made = oneType(100, 10);
const events = made.events.map((event) => JSON.stringify({ ...event, id: `evt_${numbered}` }));

async function sideOf(hub: Child<HubReady>): Promise<Side> {
  const people = await fiftyClients(hub);
  const monitors = await fiftyMonitors(
    hub,
    made.triggers.map(({ trigger }) => trigger),
  );
  return { port: hub.ready.port, settle: () => hub.ask('settle'), people, monitors };
}

/** Only with `--against`. */
export const against: Scenario = async ({ quick, against: other }) => {
  if (other === undefined) return [];
  return withGround(async (run, folder) => {
    const rounds = quick ? 3 : 15;
    const ms = quick ? 700 : 2000;
    const load = await run('load');
    const ours = await sideOf(await startHub(run, join(folder, 'ours')));
    const theirs = await sideOf(await startHub(run, join(folder, 'theirs'), undefined, resolve(other)));
    const say = async ({ port, people, settle }: Side, span = ms) => {
      const { perSecond: rate } = await post(load, port, people, { ms: span });
      await settle();
      return rate;
    };
    const emit = async ({ port, monitors }: Side, span = ms) => (await post(load, port, monitors, { ms: span }, events)).perSecond;
    for (const side of [ours, theirs]) {
      await say(side, ms * 2);
      await emit(side, ms * 2);
    }
    let turn = 0;
    const found = await medians(rounds, async () => {
      const order = turn++ % 2 === 0 ? [ours, theirs] : [theirs, ours];
      const said = new Map<Side, number>();
      const emitted = new Map<Side, number>();
      for (const side of order) said.set(side, await say(side));
      for (const side of order) emitted.set(side, await emit(side));
      const [ourSaid, theirSaid, ourEmitted, theirEmitted] = [said.get(ours)!, said.get(theirs)!, emitted.get(ours)!, emitted.get(theirs)!];
      return { ourSaid, theirSaid, ourEmitted, theirEmitted, messages: ourSaid / theirSaid, events: ourEmitted / theirEmitted };
    });
    const from = (mine: number, yours: number): string =>
      `${perSecond(mine)} against ${perSecond(yours)} (medians of ${rounds} rounds in turns)`;
    return [
      {
        what: 'Durable messages, this checkout against the other',
        result: times(found.messages),
        from: from(found.ourSaid, found.theirSaid),
      },
      {
        what: 'Durable events, this checkout against the other',
        result: times(found.events),
        from: from(found.ourEmitted, found.theirEmitted),
      },
    ];
  });
};

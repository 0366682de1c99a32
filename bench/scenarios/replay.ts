// Counts the turns of a model that eight agents among people take: when each takes a turn on everything it sees, when it
// takes one on each mention, and when the hub decides. Counted and not timed: any machine finds the same.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { handlers } from '../../packages/hub/src/engine/handlers.ts';
import { operator } from '../../packages/hub/src/engine/command.ts';
import { Engine } from '../../packages/hub/src/engine/engine.ts';
import { Ids } from '../../packages/hub/src/engine/ids.ts';
import { workLimits } from '../../packages/hub/src/engine/limits.ts';
import { openDataDir, openStore } from '../../packages/hub/src/index.ts';
import { SimClock } from '../../packages/testkit/src/clock.ts';
import { type Scenario, withFolder } from '../kit.ts';
import { type Archive, beginning, read } from '../replay/archive.ts';
import { compare, type Counted } from '../replay/compare.ts';
import { ownArchive } from '../replay/generate.ts';
import { play, type Played } from '../replay/play.ts';
import { bars } from '../plot.ts';
import { percent, times } from '../stats.ts';

const many = (count: number): string => count.toLocaleString('en');

/** With the hub's own limits: the compose window, the budgets, the time of claims. */
const playAlone = (archive: Archive): Promise<Played> =>
  withFolder(async (folder) => {
    const clock = new SimClock();
    const ids = new Ids(randomBytes);
    const errors: unknown[] = [];
    const store = await openStore({ dataDir: await openDataDir(folder), databaseUrl: undefined, epoch: ids.epoch(), sync: false, clock });
    const engine = new Engine({ store, handlers, ids, limits: workLimits, onError: (error) => errors.push(error) });
    try {
      await engine.submit({ type: 'workspace.found', by: operator, name: 'replay', agents: [] });
      return await play({ engine, store, clock }, archive);
    } finally {
      await engine.stop();
      await store.close();
      if (errors.length > 0) process.stderr.write(`${errors.map(String).join('\n')}\n`);
    }
  });

export const replay: Scenario = async ({ quick, archive: file }) => {
  const whole = file === undefined ? ownArchive() : read(readFileSync(file, 'utf8'));
  const archive = quick ? beginning(whole, 1000) : whole;
  const agents = archive.members.filter(({ kind }) => kind === 'agent').length;
  const { messages, requests, everyone, mention, host } = compare(archive, await playAlone(archive));
  const misses = ({ missed, unheard }: Counted): string =>
    requests === 0
      ? 'what was wanted is not in the archive'
      : `${many(missed.length)} of ${many(requests)} requests missed, ${many(unheard)} request messages unheard`;
  const line = (what: string, counted: Counted) => ({
    what,
    result: times(counted.turns / host.turns),
    from: `${many(counted.turns)} turns against ${many(host.turns)}; ${many(counted.mustNot)} on messages that must not be answered (${percent(counted.mustNot / counted.turns)}), ${misses(counted)}`,
  });
  return [
    {
      ...line(
        `Turns over a replay of ${many(messages)} messages with ${agents} agents: everyone sees everything, against this host`,
        everyone,
      ),
      plot: bars(
        'bench-turns.svg',
        `Turns of ${agents} agents over ${many(messages)} messages`,
        Object.entries({ 'Everyone sees everything': everyone, 'Mention only': mention, Parley: host }).map(([label, { turns }]) => ({
          label,
          value: turns,
          text: many(turns),
        })),
      ),
    },
    line('The same: mention only, against this host', mention),
    {
      what: 'The same: turns of this host on messages that must not be answered',
      result: many(host.mustNot),
      target: { text: '0', met: host.mustNot === 0 },
      from: `of ${many(host.turns)} turns, ${many(host.turns / messages)} a message; ${misses(host)}; ${many(host.unwanted)} turns nobody wanted`,
    },
  ];
};

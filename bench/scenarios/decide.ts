// How many messages are decided in a second: parsed, and one verdict for every agent in the room. Beside it the
// cost of the same lines as JSON, in and out, which every caller has to pay anyway.

import { preview } from '../../packages/core/src/index.ts';
import { messages, room } from '../corpus.ts';
import type { Scenario } from '../kit.ts';
import { median, perSecond, times } from '../stats.ts';

const agents = room.members.filter(({ kind }) => kind === 'agent').length;
const lines = messages.map((content) => JSON.stringify({ conversation: room, author: 'matt', content }));

/** Runs over the whole corpus until the time is up; messages per second. */
function rate(ms: number, one: (at: number) => unknown): number {
  let rounds = 0;
  let kept: unknown;
  const began = performance.now();
  for (; performance.now() - began < ms; rounds++) for (let at = 0; at < messages.length; at++) kept = one(at);
  if (kept === undefined) throw new Error('Nothing was decided');
  return (rounds * messages.length) / ((performance.now() - began) / 1000);
}

export const decide: Scenario = ({ quick }) => {
  const ms = quick ? 200 : 1000;
  const work = {
    deciding: (at: number) => preview(room, 'matt', messages[at]!),
    json: (at: number) => JSON.stringify(JSON.parse(lines[at]!)),
  };
  const found = { deciding: [] as number[], json: [] as number[] };
  for (const one of Object.values(work)) rate(ms, one);
  for (let round = 0; round < (quick ? 3 : 7); round++) {
    found.deciding.push(rate(ms, work.deciding));
    found.json.push(rate(ms, work.json));
  }
  const [deciding, json] = [median(found.deciding), median(found.json)];
  return Promise.resolve([
    {
      what: `Deciding a message, parsing included, against reading and writing its line as JSON`,
      result: times(json / deciding),
      from: `${perSecond(deciding)} decided, ${perSecond(json)} as JSON (medians); ${messages.length} messages of the corpus, ${agents} agents, one thread`,
    },
  ]);
};

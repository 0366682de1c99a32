// How many messages are decided in a second: parsed, and one verdict for every agent in the room. Beside it the
// cost of the same lines as JSON, in and out, which every caller has to pay anyway.

import { preview, addressesIn, directoryOf } from '../../packages/core/src/index.ts';
import { messages, room } from '../corpus.ts';
import type { Scenario } from '../kit.ts';
import { median, perSecond, times, round } from '../stats.ts';

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

// Whether reading addresses takes time in proportion to the text: the time per KB of texts up to eight times as long,
// for what people write and for shapes that make a careless parser start over at every sign.

const sizes = [25, 50, 100, 200];
const largest = 200;
const known = directoryOf(room.members);

const shapes: Record<string, string> = {
  'what people write': `${messages.join('\n\n')}\n\n`,
  '`^`': '^',
  '`@a.`': '@a.',
  backticks: '`',
  'backticks of growing runs': Array.from({ length: 200 }, (_, i) => `${'`'.repeat(i + 1)} `).join(''),
  '`[`': '[',
  '`](`': '](',
  '`[](a`': '[](a',
  '`[](` and blanks': `[](${' '.repeat(1000)}`,
  '`>`': '>',
  'open fences': '```\n~~~\n',
  backslashes: '\\',
  'list signs': '- ',
  '`a.b/`': 'a.b/',
  '`<a:b|`': '<a:b|',
};

/**
 * Microseconds per KB at each size, the best of several: what else the machine does only ever adds. Every size reads as
 * much in all, in more pieces or fewer, so that a pause or a collection falls on all of them alike.
 */
function costs(text: string, runs: number): number[] {
  const parts = sizes.map((size) => text.slice(0, size * 1024));
  const best = sizes.map(() => Infinity);
  for (let run = 0; run < runs; run++) {
    parts.forEach((part, i) => {
      const began = performance.now();
      for (let read = 0; read < largest; read += sizes[i]!) addressesIn(part, known);
      best[i] = Math.min(best[i]!, ((performance.now() - began) * 1000) / largest);
    });
  }
  return best;
}

export const parse: Scenario = ({ quick }) => {
  const runs = quick ? 10 : 25;
  const curves = Object.entries(shapes).map(([shape, unit]) => {
    const text = unit.repeat(Math.ceil((largest * 1024) / unit.length));
    const found = costs(text, runs);
    return { shape, found, ratio: Math.max(...found.slice(1)) / found[0]! };
  });
  const worst = curves.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  const plain = curves[0]!;
  const curve = (found: readonly number[]): string => found.map((us, i) => `${round(us)} µs at ${sizes[i]} KB`).join(', ');
  return Promise.resolve([
    {
      what: 'Reading the addresses of a text of 50 to 200 KB, time per KB against one of 25 KB',
      result: times(plain.ratio),
      target: { text: '≤ 1.5 ×', met: plain.ratio <= 1.5 },
      from: `per KB ${curve(plain.found)}; the corpus, repeated`,
    },
    {
      what: `The same, the worst of ${curves.length - 1} shapes made to be slow`,
      result: times(worst.ratio),
      target: { text: '≤ 1.5 ×', met: worst.ratio <= 1.5 },
      from: `${worst.shape}: per KB ${curve(worst.found)}`,
    },
  ]);
};

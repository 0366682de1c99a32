// Whether reading addresses takes time in proportion to the text: the time per KB of texts up to eight times as long,
// for what people write and for shapes that make a careless parser start over at every sign.

import { addressesIn, directoryOf } from '../../packages/core/src/index.ts';
import { messages, room } from '../corpus.ts';
import type { Scenario } from '../kit.ts';
import { round, times } from '../stats.ts';

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

// The tables of docs/attention.md, out of the code they describe. `node scripts/corpora.ts` writes them; the test beside
// this file compares.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { list } from '../packages/core/src/attention/attend.ts';
import { classifiers, measure, rates, type ClassifierName } from '../packages/core/test/corpora.ts';

const page = fileURLToPath(new URL('../docs/attention.md', import.meta.url));

export const readPage = (): string => readFileSync(page, 'utf8');

/** The page with its tables as they have to be. */
export function withTables(text: string): string {
  return between(between(text, 'list', listTable()), 'corpora', corporaTable());
}

function between(text: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/attention.md has no ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
}

function listTable(): string {
  const rows = list.map(({ line, when, policy, mode, reason }) => [line, when, `\`${policy}\``, `\`${mode}\``, `\`${reason}\``]);
  return table(['line', 'when', 'policy', 'mode', 'reason'], rows);
}

function corporaTable(): string {
  const names = Object.keys(classifiers) as ClassifierName[];
  const rows = names.flatMap((name) => (['tuning', 'kept'] as const).map((part) => corporaRow(name, part)));
  return table(
    [
      'function',
      'part',
      'looked for',
      'of these found',
      'missed',
      'the others',
      'mistaken',
      'left alone',
      'precision, %',
      'recall, %',
      'mistaken, %',
    ],
    rows,
  );
}

function corporaRow(name: ClassifierName, part: 'tuning' | 'kept'): (string | number)[] {
  const { yes, no } = classifiers[name];
  const matrix = measure(name, part);
  const share = rates(matrix);
  const { hit, missed, mistaken, passed } = matrix;
  return [
    `\`${name}\``,
    part,
    `\`${yes}\``,
    hit,
    missed,
    `\`${no}\``,
    mistaken,
    passed,
    percent(share.precision),
    percent(share.found),
    percent(share.mistaken),
  ];
}

const percent = (share: number): string => (100 * share).toFixed(1);

const table = (head: string[], rows: (string | number)[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, withTables(readPage()));

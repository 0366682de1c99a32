// The tables that docs take from the code they describe. `node scripts/corpora.ts` writes them; the test beside this file
// compares.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { attentionList } from '../packages/core/src/attention/attend.ts';
import { classifiers, measure, rates, type ClassifierName } from '../packages/core/test/corpora.ts';

interface TablePage {
  path: string;
  name: string;
  makeTable: () => string;
}
export const pages: readonly TablePage[] = [
  { path: 'docs/attention.md', name: 'list', makeTable: listTable },
  { path: 'docs/reference/classifiers.md', name: 'corpora', makeTable: corporaTable },
];

const locate = ({ path }: TablePage): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const readPage = (page: TablePage): string => readFileSync(locate(page), 'utf8');

/** The page with its table as the code has it now. */
export function withTable({ path, name, makeTable }: TablePage, text: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${path} has no ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${makeTable()}\n\n${text.slice(to)}`;
}

function listTable(): string {
  const rows = attentionList.map(({ line, when, policy, mode, reason }) => [line, when, `\`${policy}\``, `\`${mode}\``, `\`${reason}\``]);
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const page of pages) writeFileSync(locate(page), withTable(page, readPage(page)));
}

// Measured lines, as a table for people and as data for programs.

import { readFileSync, writeFileSync } from 'node:fs';
import type { Plot } from './plot.ts';

export interface Line {
  what: string;
  /** The figure a target is held against, or the most telling one, with its unit. */
  result: string;
  /** How it came about: the figures behind it. */
  from: string;
  target?: { text: string; met: boolean };
  plot?: Plot;
}

export function table(lines: readonly Line[]): string {
  const verdict = ({ target }: Line): string => (target ? `${target.text} ${target.met ? '✓' : '✗'}` : '');
  return [
    '| measured | result | target | from |',
    '|---|---|---|---|',
    ...lines.map((line) => `| ${line.what} | **${line.result}** | ${verdict(line)} | ${line.from} |`),
  ].join('\n');
}

const begin = '<!-- bench:begin -->';
const end = '<!-- bench:end -->';

/** Replaces what stands between the marks; the words around it are written by hand. */
export function writeDocs(path: URL, text: string): void {
  const page = readFileSync(path, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no place for the table: it needs ${begin} and ${end}`);
  writeFileSync(path, `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`);
}

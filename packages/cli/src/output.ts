// Results go to stdout, everything else to stderr: what a command made can be piped, and what it wants to add is still seen.

import { styleText } from 'node:util';
import { toLines, toOneLine } from '@parley/protocol';
import { exitCodes, type Failure } from './exit.ts';
import { foldWords } from './fold-lines.ts';

export interface Output {
  readonly json: boolean;
  /** The result: as a JSON document, or in words. */
  result(value: unknown, words: string): void;
  /** A remark for people; not there in JSON. Others may have written some of it. */
  note(words: string): void;
}

export function outputTo(json: boolean, stdout: NodeJS.WriteStream = process.stdout, stderr: NodeJS.WriteStream = process.stderr): Output {
  return {
    json,
    result: (value, words) => void stdout.write(json ? `${JSON.stringify(value)}\n` : `${words}\n`),
    note: (words) => {
      if (!json) stderr.write(`${toLines(words)}\n`);
    },
  };
}

/** The reader of a pipe may leave (`| head`). The command is still done, and its exit code still set. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

type Style = Parameters<typeof styleText>[0];
/** Colour only on a terminal, and not under NO_COLOR. */
export const applyStyle = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

/** The last column is folded if it gets this width; otherwise the columns stand below each other. */
const leastFolded = 20;

/** `width`: of the terminal; a pipe takes lines of any length. Columns without a value are left out. */
export function table(head: string[], rows: string[][], width = process.stdout.columns || Infinity): string {
  const filled = head.map((_, i) => i === 0 || rows.some((row) => row[i] !== ''));
  const titles = head.filter((_, i) => filled[i]);
  // Some of them others wrote.
  const cells = rows.map((row) => row.filter((_, i) => filled[i]).map(toOneLine));
  const widths = titles.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]!.length)));
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
  const room = width - before;
  if (room < Math.min(widths.at(-1)!, leastFolded)) return stacked(titles, cells, width);
  const lines = (row: string[]): string[] => {
    const first = row.slice(0, -1).map((cell, i) => cell.padEnd(widths[i]!));
    // Two places are for the mark that a line goes on.
    const last = row.at(-1)!.length <= room ? [row.at(-1)!] : foldWords(row.at(-1)!, room - 2);
    return last.map((part, n) => (n === 0 ? [...first, part].join('  ') : `${' '.repeat(before)}${part}`).trimEnd());
  };
  return [...lines(titles).map((line) => applyStyle('bold', line)), ...cells.flatMap(lines)].join('\n');
}

/** A block for each row, with a line for each value. */
function stacked(titles: string[], rows: string[][], width: number): string {
  const beside = Math.max(...titles.map((title) => title.length)) + 2;
  const value = (title: string, cell: string): string[] =>
    foldWords(cell, Math.max(leastFolded, width - beside - 2)).map((part, n) =>
      n === 0 ? `${applyStyle('bold', title.padEnd(beside))}${part}` : `${' '.repeat(beside)}${part}`,
    );
  return rows.map((row) => row.flatMap((cell, i) => (cell === '' ? [] : value(titles[i]!, cell))).join('\n')).join('\n\n');
}

/** `1 → 2`, or one of them where they are the same. `was`: null where nothing was before. */
export const arrow = (was: string | null, would: string): string => (was === null || was === would ? would : `${was} → ${would}`);

/** The first twenty, and how many more there are. */
export function differenceLines(lines: readonly string[], uncounted: number): string[] {
  const hidden = Math.max(0, lines.length - 20) + uncounted;
  return [...(lines.length > 0 ? ['Differences:', ...lines.slice(0, 20)] : []), ...(hidden > 0 ? [`  … and ${hidden} more`] : [])];
}

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** Texts of others must not move the cursor or reverse the line. */
export { toOneLine as printable } from '@parley/protocol';

/** JSON for a terminal: the same value, with what would move the cursor or turn a line around as escapes. */
export const shownJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

/** Lines of ours, with words of others in them. */
export const printableLines = (lines: readonly string[]): string => lines.map(toOneLine).join('\n');

export function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte');
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${['', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** The hub speaks of its fields; the user of the command knows its options. */
const optionOf: Readonly<Record<string, string>> = {
  handle: '<handle>',
  displayName: '--name',
  role: '--role',
  ownerId: '--owner',
  memberId: '--member',
  memberIds: '<to>',
  kind: '--kind',
  label: '--label',
  expiresInSeconds: '--expires-in',
  tokenId: '<id>',
  body: '<text>',
};

export function writeFailure(failure: Failure, json: boolean, stderr: NodeJS.WriteStream = process.stderr): void {
  const { code, message, hint } = failure;
  const problems = failure.problems ?? [];
  if (json) {
    const exit = exitCodes[failure.exit].status;
    const error = { code, message, ...(hint === undefined ? {} : { hint }), ...(problems.length > 0 ? { problems } : {}), exit };
    stderr.write(`${JSON.stringify({ error })}\n`);
    return;
  }
  // One line per problem replaces the sentence that sums them up.
  const lines =
    problems.length > 0 ? problems.map((problem) => `${optionOf[problem.field] ?? problem.field} ${problem.message}`) : [message];
  const name = applyStyle('red', 'parley:', stderr);
  // Others may have written a part: a server, another relay, a file.
  const indented = (text: string): string => toLines(text).replaceAll('\n', '\n  ');
  stderr.write(`${lines.map((line) => `${name} ${indented(line)}`).join('\n')}\n${hint === undefined ? '' : `  ${indented(hint)}\n`}`);
}

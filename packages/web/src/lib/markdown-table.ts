// A table inside a paragraph, as models like to write them: a line of names, a line of dashes with as many, and the rows.

export interface TableSpan {
  start: number;
  end: number;
}
export interface Table extends TableSpan {
  /** Of each column. */
  align: ('left' | 'center' | 'right')[];
  /** Where each cell's text is, the names first. */
  rows: TableSpan[][];
}

/** More columns nobody can read; what has more stays text. */
const mostColumns = 20;
const dashes = /^:?-+:?$/;

/** All of a text, in order. Each line is looked at once, or twice where the next one is of dashes. */
export function tablesIn(text: string): Table[] {
  if (!text.includes('|')) return [];
  const lines = linesOf(text);
  const tables: Table[] = [];
  for (let at = 1; at < lines.length; at++) {
    const align = alignments(text, lines[at]!);
    const names = align && cellsOf(text, lines[at - 1]!);
    if (!names || names.length !== align.length) continue;
    const { start } = lines[at - 1]!;
    const rows = [names];
    while (at + 1 < lines.length && text.slice(lines[at + 1]!.start, lines[at + 1]!.end).includes('|'))
      rows.push(fitted(cellsOf(text, lines[++at]!), align.length));
    tables.push({ start, end: lines[at]!.end, align, rows });
    // The end of one table is not the head of the next.
    at += 1;
  }
  return tables;
}

function linesOf(text: string): TableSpan[] {
  const lines: TableSpan[] = [];
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

/** Undefined: it is no line of dashes. */
function alignments(text: string, line: TableSpan): Table['align'] | undefined {
  const first = text.slice(line.start, line.end).trimStart()[0];
  if (first !== '|' && first !== '-' && first !== ':') return undefined;
  const cells = cellsOf(text, line).map(({ start, end }) => text.slice(start, end));
  if (cells.length === 0 || cells.length > mostColumns || !cells.every((cell) => dashes.test(cell))) return undefined;
  // A line of dashes alone underlines what stands above it.
  if (!text.slice(line.start, line.end).includes('|')) return undefined;
  return cells.map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'right') : 'left'));
}

/** Between the bars; one that is escaped is part of its cell. */
function cellsOf(text: string, line: TableSpan): TableSpan[] {
  const bars = [line.start - 1];
  for (let at = line.start; at < line.end; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '|') bars.push(at);
  }
  bars.push(line.end);
  const cells = bars.slice(1).map((end, n) => trimmed(text, { start: bars[n]! + 1, end }));
  // Text outside the outer bars is no cell.
  if (cells.length > 1 && isEmpty(cells[0]!)) cells.shift();
  if (cells.length > 1 && isEmpty(cells.at(-1)!)) cells.pop();
  return cells;
}

const isEmpty = ({ start, end }: TableSpan): boolean => start === end;

function trimmed(text: string, span: TableSpan): TableSpan {
  let { start, end } = span;
  while (start < end && /\s/.test(text[start]!)) start += 1;
  while (end > start && /\s/.test(text[end - 1]!)) end -= 1;
  return { start, end };
}

/** As many as there are names: what is too much is left out, as everywhere tables are read. */
function fitted(cells: TableSpan[], count: number): TableSpan[] {
  const last = cells.at(-1)?.end ?? 0;
  return Array.from({ length: count }, (_, n) => cells[n] ?? { start: last, end: last });
}

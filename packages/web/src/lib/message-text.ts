// What is done to a message's text: paragraphs, lists, tables, quotes, code, emphasis and links; nothing else. The text is
// untrusted, so it only ever becomes plain strings inside elements, and every step is linear in its length. Blocks are
// read by `core`, as it reads them to know what calls nobody: so what looks like code or a quote is one to agents, too.

import { partsOf } from '@parley/core';
import type { Address, Part } from '@parley/core';
import { parseInline } from './inline-text.ts';
import type { Inline } from './inline-text.ts';
import { tablesIn } from './markdown-table.ts';
import type { Table } from './markdown-table.ts';

export type Block =
  | { type: 'text'; inlines: Inline[] }
  | { type: 'heading'; inlines: Inline[] }
  | { type: 'code'; text: string }
  | { type: 'table'; align: Table['align']; rows: Inline[][][] }
  | { type: 'quote'; blocks: Block[] }
  | { type: 'list'; ordered: boolean; items: Item[] };
export interface Item {
  /** Of an ordered list. */
  number: number | undefined;
  blocks: Block[];
}

/** Deeper ones are shown at this depth: an element inside an element is a call inside a call. */
const deepestList = 6;
const deepestQuote = 3;

/** `addresses`: spans of the whole text, read by `core`; this only puts them in their place. */
export function parseText(body: string, addresses: readonly Address[] = [], quoted = 0): Block[] {
  const root: Block[] = [];
  /** The open lists, the outermost first. */
  const open: (Block & { type: 'list' })[] = [];
  let quote: string[] | undefined;
  let next = 0;
  const parts = partsOf(body);
  for (const [n, part] of parts.entries()) {
    const depth = Math.min(part.depth, deepestList);
    open.length = Math.min(open.length, depth);
    if (part.marker !== undefined || open.length < depth) beginItem(root, open, depth, part.marker);
    const into = open.at(-1)?.items.at(-1)?.blocks ?? root;
    const text = body.slice(part.start, part.end);
    while (next < addresses.length && addresses[next]!.start < part.start) next += 1;
    if (part.kind === 'quote') {
      quote ??= [];
      quote.push(unquoted(text));
      const following = parts[n + 1];
      if (following?.kind === 'quote' && following.marker === undefined && following.depth === part.depth) continue;
      into.push(quoteOf(quote, quoted));
      quote = undefined;
    } else if (part.kind === 'fence') into.push({ type: 'code', text: fenced(text) });
    else if (part.kind === 'indented') addCode(into, part, text);
    else {
      const here = addresses.slice(next, countUpTo(addresses, next, part.end));
      const skipped = part.kind === 'heading' ? /^#{1,6}[ \t]*/.exec(text)![0].length : 0;
      const tables = part.kind === 'heading' ? [] : tablesIn(text);
      if (tables.length > 0) {
        addTables(into, text, tables, here, part);
        continue;
      }
      const inlines = parseInline(text.slice(skipped), here, part.start + skipped, part.depth > 0);
      if (inlines.length > 0 || part.marker !== undefined) into.push({ type: part.kind === 'heading' ? 'heading' : 'text', inlines });
    }
  }
  return root;
}

/** An item at this depth; a list of the other kind ends the one before it. */
function beginItem(root: Block[], open: (Block & { type: 'list' })[], depth: number, marker: string | undefined) {
  const ordered = marker !== undefined && /\d/.test(marker);
  if (open.length === depth && open.at(-1)?.ordered !== ordered) open.pop();
  while (open.length < depth) {
    const last = open.length + 1 === depth;
    const list = { type: 'list' as const, ordered: last && ordered, items: [] as Item[] };
    const above = open.at(-1);
    if (above && above.items.length === 0) above.items.push({ number: undefined, blocks: [] });
    (above?.items.at(-1)?.blocks ?? root).push(list);
    open.push(list);
  }
  open.at(-1)?.items.push({ number: ordered ? Number.parseInt(marker, 10) : undefined, blocks: [] });
}

function countUpTo(addresses: readonly Address[], from: number, end: number): number {
  let to = from;
  while (to < addresses.length && addresses[to]!.end <= end) to += 1;
  return to;
}

const unquoted = (line: string): string => line.replace(/^.*?> ?/, '');

function quoteOf(lines: string[], quoted: number): Block {
  const text = lines.join('\n');
  // Nobody is called in a quote.
  return { type: 'quote', blocks: quoted < deepestQuote ? parseText(text, [], quoted + 1) : [{ type: 'text', inlines: plain(text) }] };
}

const plain = (text: string): Inline[] => (text.trim() === '' ? [] : [{ type: 'text', text }]);

/** Without the fences; indented no further than its first fence is. A fence that was never closed still means code. */
function fenced(text: string): string {
  const [first = '', ...lines] = text.split('\n');
  const indent = /^[ \t]*/.exec(first)![0].length;
  const sign = /[`~]{3,}/.exec(first)?.[0] ?? '```';
  const last = lines.at(-1)?.trim() ?? '';
  if (last.length >= sign.length && last === sign[0]!.repeat(last.length)) lines.pop();
  return lines.map((line) => (line.slice(0, indent).trim() === '' ? line.slice(indent) : line)).join('\n');
}

function addCode(into: Block[], part: Part, text: string) {
  const line = text.replace(part.marker === undefined ? /^(?: {4}|\t| +)/ : /^.*?(?:[-+*]|\d[.)])[ \t]/, '');
  const last = into.at(-1);
  if (last?.type === 'code' && part.marker === undefined) last.text += `\n${line}`;
  else into.push({ type: 'code', text: line });
}

/** Tables, and what is said before, between and after them. */
function addTables(into: Block[], text: string, tables: readonly Table[], addresses: readonly Address[], { start: offset, depth }: Part) {
  let next = 0;
  /** Goes forward only, as the addresses do. */
  const inline = (from: number, to: number): Inline[] => {
    while (next < addresses.length && addresses[next]!.start - offset < from) next += 1;
    const first = next;
    next = countUpTo(addresses, first, offset + to);
    return parseInline(text.slice(from, to), addresses.slice(first, next), offset + from, depth > 0);
  };
  const say = (from: number, to: number) => {
    const inlines = inline(from, to);
    if (inlines.length > 0) into.push({ type: 'text', inlines });
  };
  let at = 0;
  for (const { start, end, align, rows } of tables) {
    say(at, start);
    into.push({ type: 'table', align, rows: rows.map((cells) => cells.map((cell) => inline(cell.start, cell.end))) });
    at = end;
  }
  say(at, text.length);
}

/** How much of a very long message is shown before a reader asks for the rest. */
export function clip(body: string, maxLength = 3_000, maxLines = 40): string | null {
  const lines = body.split('\n', maxLines + 1);
  if (body.length <= maxLength && lines.length <= maxLines) return null;
  return lines.slice(0, maxLines).join('\n').slice(0, maxLength);
}

// Code and links inside a paragraph. One pass reads the signs in turn, and each stretch at most once more, so that hostile texts take no
// time with the square of their length.

import { bareLinks } from './bare-links.ts';
import type { TextSpan } from './span.ts';

const signs = /[\\`<[\]]/g;
/** `<https://example.org>`, and `<https://example.org|with a label>` as some programs write it. */
const angled = /<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>|]*(?:\|[^\r\n<>]*)?>/y;
/** `[text][name]`. A name that begins with an address sign is an address: `[^ORAC][^STEF]` calls two agents. */
const reference = /\[(?![\^@])[^[\]\\\r\n]{0,100}\]/y;
/** CommonMark's limit: a target with more open brackets is no target. It also bounds how far one is read. */
const mostOpenBrackets = 32;

/** The spans in order, without overlaps. */
export function inlineSpans(part: string): TextSpan[] {
  const found: TextSpan[] = [];
  const opened: number[] = [];
  const closing = backticks(part);
  const hide = (start: number, end: number | undefined): void => {
    if (end === undefined) return;
    // The text of a link belongs to the link, so spans inside it are dropped.
    while (found.length > 0 && found.at(-1)!.start >= start) found.pop();
    found.push({ start, end });
    signs.lastIndex = end;
  };
  signs.lastIndex = 0;
  for (let sign = signs.exec(part); sign; sign = signs.exec(part)) {
    const at = sign.index;
    if (sign[0] === '\\') signs.lastIndex = at + 2;
    else if (sign[0] === '<') hide(at, match(angled, part, at));
    else if (sign[0] === '[') opened.push(at);
    else if (sign[0] === ']') {
      const open = opened.pop();
      if (open !== undefined) hide(open, targetEnd(part, at + 1) ?? match(reference, part, at + 1));
    } else {
      const length = runLength(part, at);
      signs.lastIndex = at + length;
      const close = closing(at + length, length);
      hide(at, close === undefined ? undefined : close + length);
    }
  }
  return merged(found, bareLinks(part));
}

const match = (pattern: RegExp, part: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(part) ? pattern.lastIndex : undefined;
};

function runLength(part: string, at: number): number {
  let end = at;
  while (part[end] === '`') end++;
  return end - at;
}

/** Finds the next run of exactly `length` backticks. Callers ask from left to right, so that no list is read twice. */
function backticks(part: string): (from: number, length: number) => number | undefined {
  const runs = new Map<number, { places: number[]; next: number }>();
  for (const { 0: run, index } of part.matchAll(/`+/g)) {
    const same = runs.get(run.length);
    if (same) same.places.push(index);
    else runs.set(run.length, { places: [index], next: 0 });
  }
  return (from, length) => {
    const same = runs.get(length);
    if (!same) return undefined;
    while (same.next < same.places.length && same.places[same.next]! < from) same.next++;
    return same.places[same.next];
  };
}

/** The end of `(target)`, `(<target>)` or `(target "title")`, behind the last bracket. */
function targetEnd(part: string, open: number): number | undefined {
  if (part[open] !== '(') return undefined;
  let at = skipSpace(part, open + 1);
  if (part[at] === '<') {
    const end = endOfQuoted(part, at, '>');
    if (end === undefined) return undefined;
    at = end;
  } else {
    let depth = 0;
    for (; at < part.length; at++) {
      const sign = part[at]!;
      // This runs for every sign, and is quicker than a pattern alone.
      if ((sign <= ' ' || sign > '~') && /\s/.test(sign)) break;
      if (sign === '\\' && /[!-/:-@[-`{-~]/.test(part[at + 1] ?? '')) at++;
      else if (sign === '(' && ++depth > mostOpenBrackets) return undefined;
      else if (sign === ')' && --depth < 0) return at + 1;
    }
    if (depth > 0) return undefined;
  }
  at = skipSpace(part, at);
  const quote = part[at];
  if (quote === '"' || quote === "'" || quote === '(') {
    const end = endOfQuoted(part, at, quote === '(' ? ')' : quote);
    if (end === undefined) return undefined;
    at = skipSpace(part, end);
  }
  return part[at] === ')' ? at + 1 : undefined;
}

/** The place behind the next `close`; undefined if another opening sign comes first. */
function endOfQuoted(part: string, open: number, close: string): number | undefined {
  for (let at = open + 1; at < part.length; at++) {
    if (part[at] === close) return at + 1;
    if (part[at] === part[open]) return undefined;
    if (part[at] === '\\') at++;
  }
  return undefined;
}

const space = /\s*/y;
const skipSpace = (part: string, from: number): number => match(space, part, from)!;

/** Joins two ordered lists; spans that overlap become one. */
function merged(a: readonly TextSpan[], b: readonly TextSpan[]): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const span of [...a, ...b].sort((x, y) => x.start - y.start)) {
    const last = spans.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else spans.push({ ...span });
  }
  return spans;
}

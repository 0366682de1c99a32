// Code and links inside a paragraph. One walk over the signs that matter; each construct is read to its end once, or
// given up after a stretch that no other attempt reads again.

import type { TextSpan } from './span.ts';

const signs = /[\\`<[\]]/g;
/** `<https://example.org>`, and `<https://example.org|with a label>` as some programs write it. */
const angled = /<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>|]*(?:\|[^\r\n<>]*)?>/y;
/** `[text][name]`. A name that begins with a sign is somebody called: `[^ORAC][^STEF]` are two. */
const reference = /\[(?![\^@])[^[\]\\\r\n]{0,100}\]/y;
/** As CommonMark: a link's target with more open brackets than this is none. It also bounds how far one is read. */
const deepest = 32;

/** In order, not overlapping. */
export function inlineSpans(part: string): TextSpan[] {
  const found: TextSpan[] = [];
  const opened: number[] = [];
  const closing = backticks(part);
  const hide = (start: number, end: number | undefined): void => {
    if (end === undefined) return;
    // The text of a link is what the link says, not what the author asks: what was found in it is swallowed.
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

/** Where the next run of exactly so many backticks begins. Asked from left to right, so that no list is walked twice. */
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

/** `(target)`, `(<target>)`, `(target "title")`: behind its last bracket. */
function targetEnd(part: string, open: number): number | undefined {
  if (part[open] !== '(') return undefined;
  let at = skipSpace(part, open + 1);
  if (part[at] === '<') {
    const end = closed(part, at, '>');
    if (end === undefined) return undefined;
    at = end;
  } else {
    let depth = 0;
    for (; at < part.length; at++) {
      const sign = part[at]!;
      // Asked of every sign: quicker than a pattern.
      if ((sign <= ' ' || sign > '~') && /\s/.test(sign)) break;
      if (sign === '\\' && /[!-/:-@[-`{-~]/.test(part[at + 1] ?? '')) at++;
      else if (sign === '(' && ++depth > deepest) return undefined;
      else if (sign === ')' && --depth < 0) return at + 1;
    }
    if (depth > 0) return undefined;
  }
  at = skipSpace(part, at);
  const quote = part[at];
  if (quote === '"' || quote === "'" || quote === '(') {
    const end = closed(part, at, quote === '(' ? ')' : quote);
    if (end === undefined) return undefined;
    at = skipSpace(part, end);
  }
  return part[at] === ')' ? at + 1 : undefined;
}

/** Behind the next `close`; undefined when the sign that opens it comes first. */
function closed(part: string, open: number, close: string): number | undefined {
  for (let at = open + 1; at < part.length; at++) {
    if (part[at] === close) return at + 1;
    if (part[at] === part[open]) return undefined;
    if (part[at] === '\\') at++;
  }
  return undefined;
}

const space = /\s*/y;
const skipSpace = (part: string, from: number): number => match(space, part, from)!;

/** Both in order; together in order, with what overlaps made one. */
function merged(a: readonly TextSpan[], b: readonly TextSpan[]): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const span of [...a, ...b].sort((x, y) => x.start - y.start)) {
    const last = spans.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else spans.push({ ...span });
  }
  return spans;
}

// Links that nobody marked as such: `https://…`, `www.…`, `example.org/@ann`. What stands in one points somewhere and
// calls nobody.

/** What gives a link away: found first, and then walked back to where the link begins. */
const clue = /:\/\/|\b(?:mailto|xmpp|urn|magnet):(?=\S)|\bwww\.(?=[A-Za-z0-9])|\//gi;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]+$/;
const host = /^(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}$/;
const hostBegins = /[\s([{<"'*_~,;:|]/;
/** No address has these unescaped; a full stop of Chinese or Japanese ends a sentence, not a link. */
const reach = /[^\s<>"`，。、；：！？（）「」『』【】《》〈〉“”…]*/y;
const longestScheme = 32;
const longestHost = 253;

/** In order, not overlapping. */
function bareLinks(part: string): TextSpan[] {
  const spans: TextSpan[] = [];
  let from = 0;
  clue.lastIndex = 0;
  for (let found = clue.exec(part); found; found = clue.exec(part)) {
    const start = beginning(part, found.index, found[0], from);
    if (start === undefined) continue;
    from = ending(part, found.index + found[0].length);
    spans.push({ start, end: from });
    clue.lastIndex = from;
  }
  return spans;
}

function beginning(part: string, at: number, what: string, from: number): number | undefined {
  if (what === '://') {
    const start = back(part, at, from, longestScheme, /[A-Za-z0-9+.-]/);
    return scheme.test(part.slice(start, at)) ? start : undefined;
  }
  if (what !== '/') return at;
  const start = back(part, at, from, longestHost, /[A-Za-z0-9.-]/);
  const begins = start === 0 || hostBegins.test(part[start - 1]!);
  return begins && host.test(part.slice(start, at)) ? start : undefined;
}

function back(part: string, at: number, from: number, most: number, sign: RegExp): number {
  let start = at;
  while (start > from && at - start < most && sign.test(part[start - 1]!)) start--;
  return start;
}

/** Up to a blank, or to a bracket that was opened before the link. */
function ending(part: string, at: number): number {
  reach.lastIndex = at;
  const end = at + reach.exec(part)![0].length;
  let depth = 0;
  for (let i = at; i < end; i++) {
    if (part[i] === '(') depth++;
    else if (part[i] === ')' && --depth < 0) return i;
  }
  return end;
}

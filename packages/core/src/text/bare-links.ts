// Links without markup: `https://…`, `www.…`, `example.org/@ann`. A name inside a link is part of the link and calls nobody.

import type { TextSpan } from './span.ts';

/** The signs by which a link is found. Its beginning is then searched to their left. */
const clue = /:\/\/|\b(?:mailto|xmpp|urn|magnet):(?=\S)|\bwww\.(?=[A-Za-z0-9])|\//gi;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]+$/;
const host = /^(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}$/;
const hostBegins = /[\s([{<"'*_~,;:|]/;
/** An address has none of these unescaped. A full stop of Chinese or Japanese ends the sentence around a link. */
const reach = /[^\s<>"`，。、；：！？（）「」『』【】《》〈〉“”…]*/y;
const longestScheme = 32;
const longestHost = 253;

/** The links in order, without overlaps. */
export function bareLinks(part: string): TextSpan[] {
  const spans: TextSpan[] = [];
  let from = 0;
  clue.lastIndex = 0;
  for (let found = clue.exec(part); found; found = clue.exec(part)) {
    const start = startOf(part, found.index, found[0], from);
    if (start === undefined) continue;
    from = endOf(part, found.index + found[0].length);
    spans.push({ start, end: from });
    clue.lastIndex = from;
  }
  return spans;
}

function startOf(part: string, at: number, sign: string, from: number): number | undefined {
  if (sign === '://') {
    const start = leftmost(part, at, from, longestScheme, /[A-Za-z0-9+.-]/);
    return scheme.test(part.slice(start, at)) ? start : undefined;
  }
  if (sign !== '/') return at;
  const start = leftmost(part, at, from, longestHost, /[A-Za-z0-9.-]/);
  const begins = start === 0 || hostBegins.test(part[start - 1]!);
  return begins && host.test(part.slice(start, at)) ? start : undefined;
}

function leftmost(part: string, at: number, from: number, most: number, sign: RegExp): number {
  let start = at;
  while (start > from && at - start < most && sign.test(part[start - 1]!)) start--;
  return start;
}

/** A link ends at a blank, or at a bracket that was opened before it. */
function endOf(part: string, at: number): number {
  reach.lastIndex = at;
  const end = at + reach.exec(part)![0].length;
  let depth = 0;
  for (let i = at; i < end; i++) {
    if (part[i] === '(') depth++;
    else if (part[i] === ')' && --depth < 0) return i;
  }
  return end;
}

// Links that nobody marked as such: `https://…`, `www.…`, `example.org/@ann`. What stands in one points somewhere and
// calls nobody.

import type { TextSpan } from './span.ts';

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
export function bareLinks(part: string): TextSpan[] {
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

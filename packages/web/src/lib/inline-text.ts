// What stands inside a paragraph: code, links, addresses and emphasis. `core` says where code and links are.

import { inlineSpans } from '@parley/core';
import type { Address } from '@parley/core';
import { applyEmphasis } from './emphasis.ts';
import type { InlinePiece } from './emphasis.ts';
import { arrangePath } from './router.ts';
import { hostOf, markedLink, webLink, withoutTrailing } from './link-syntax.ts';

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  /** `host`: where it leads, for a text that looks as if it led elsewhere. */
  | { type: 'link'; url: string; text: string; host: string | undefined }
  /** To a view of this page that agents may offer. */
  | { type: 'view'; path: string; text: string }
  | { type: 'address'; text: string; address: Address }
  | { type: 'strong' | 'emphasis'; inlines: Inline[] };

/** `offset`: where `text` begins in what the addresses are spans of. `inItem`: its lines are indented under a sign. */
export function parseInline(text: string, addresses: readonly Address[] = [], offset = 0, inItem = false): Inline[] {
  const pieces: InlinePiece[] = [];
  let next = 0;
  const plain = (from: number, to: number) => {
    if (from < to) pieces.push({ text: inItem ? text.slice(from, to).replaceAll(/\n[ \t]+/g, '\n') : text.slice(from, to) });
  };
  const say = (from: number, to: number) => {
    let done = from;
    while (next < addresses.length && addresses[next]!.start - offset < done) next += 1;
    for (let address = addresses[next]; address && address.end - offset <= to; address = addresses[++next]) {
      plain(done, address.start - offset);
      done = address.end - offset;
      pieces.push({ atom: { type: 'address', text: text.slice(address.start - offset, done), address } });
    }
    plain(done, to);
  };
  let last = 0;
  for (const { start, end } of inlineSpans(text)) {
    const shown = shownSpan(text.slice(start, end));
    if (!shown) continue;
    say(last, start);
    pieces.push({ atom: shown.inline });
    last = start + shown.length;
  }
  say(last, text.length);
  return applyEmphasis(pieces);
}

/** Undefined: what leads nowhere one may go stays the text that it is. */
function shownSpan(span: string): { inline: Inline; length: number } | undefined {
  if (span.startsWith('`')) return { inline: { type: 'code', text: codeIn(span) }, length: span.length };
  if (span.startsWith('[')) {
    const found = markedLink(span);
    if (found?.target === arrangePath) return { inline: { type: 'view', path: found.target, text: found.label }, length: found.length };
    const url = found && webLink(found.target);
    if (!url) return undefined;
    const label = found.label.trim() === '' ? url : found.label;
    // `[https://bank.example](https://elsewhere.example)`: where it leads is said beside it.
    const claimed = webLink(label.trim());
    const host = claimed && hostOf(claimed) !== hostOf(url) ? hostOf(url) : undefined;
    return { inline: { type: 'link', url, text: label, host }, length: found.length };
  }
  if (span.startsWith('<')) {
    const [target = '', label] = span.slice(1, -1).split('|', 2);
    const url = webLink(target);
    return url ? { inline: { type: 'link', url, text: label?.trim() || target, host: undefined }, length: span.length } : undefined;
  }
  const written = withoutTrailing(span);
  const url = webLink(written);
  return url ? { inline: { type: 'link', url, text: written, host: undefined }, length: written.length } : undefined;
}

/** Without its backticks, and without the one blank that keeps it from them. */
function codeIn(span: string): string {
  const ticks = /^`+/.exec(span)![0].length;
  const code = span.slice(ticks, -ticks).replaceAll('\n', ' ');
  return code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' && code.includes('`') ? code.slice(1, -1) : code;
}

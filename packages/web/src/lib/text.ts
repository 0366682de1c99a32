// What is done to a message's text: line breaks, links, `code` and fenced blocks; nothing else. The text is
// untrusted, so it only ever becomes plain strings inside elements, and every step is linear in its length.
// Addresses come from outside, as spans of the whole text: `core` reads them, and this only puts them in their place.

import type { Address } from '@parley/core';

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'link'; url: string }
  | { type: 'address'; text: string; address: Address };
export type Block = { type: 'text'; inlines: Inline[] } | { type: 'code'; text: string };

export function parseText(body: string, addresses: readonly Address[] = []): Block[] {
  const blocks: Block[] = [];
  let text: string[] = [];
  let textAt = 0;
  let code: string[] | null = null;
  const endText = () => {
    const { joined, skipped } = trimBlankLines(text);
    if (joined !== '') blocks.push({ type: 'text', inlines: parseInline(joined, addresses, textAt + skipped) });
    text = [];
  };
  let at = -1;
  for (const line of body.split('\n')) {
    const lineAt = at + 1;
    at = lineAt + line.length;
    const fence = line.startsWith('```');
    if (code !== null) {
      if (fence && line.slice(3).trim() === '') {
        blocks.push({ type: 'code', text: code.join('\n') });
        code = null;
      } else code.push(line);
    } else if (fence && !line.slice(3).includes('`')) {
      endText();
      code = [];
    } else {
      if (text.length === 0) textAt = lineAt;
      text.push(line);
    }
  }
  // A fence that was never closed still means code: people paste and send.
  if (code !== null) blocks.push({ type: 'code', text: code.join('\n') });
  endText();
  return blocks;
}

/** `skipped`: how many characters were taken off the beginning. */
function trimBlankLines(lines: string[]): { joined: string; skipped: number } {
  let [start, end, skipped] = [0, lines.length, 0];
  while (start < end && lines[start]!.trim() === '') {
    skipped += lines[start]!.length + 1;
    start += 1;
  }
  while (end > start && lines[end - 1]!.trim() === '') end -= 1;
  return { joined: lines.slice(start, end).join('\n'), skipped };
}

const token = /`([^`\n]+)`|\bhttps?:\/\/[^\s<>"`]+/g;

/** `offset`: where `text` begins in what the addresses are spans of. */
export function parseInline(text: string, addresses: readonly Address[] = [], offset = 0): Inline[] {
  const inlines: Inline[] = [];
  let next = 0;
  const plain = (from: number, to: number) => {
    if (from < to) inlines.push({ type: 'text', text: text.slice(from, to) });
  };
  const say = (from: number, to: number) => {
    let done = from;
    while (next < addresses.length && addresses[next]!.start - offset < done) next += 1;
    for (let address = addresses[next]; address && address.end - offset <= to; address = addresses[++next]) {
      plain(done, address.start - offset);
      done = address.end - offset;
      inlines.push({ type: 'address', text: text.slice(address.start - offset, done), address });
    }
    plain(done, to);
  };
  let last = 0;
  for (const match of text.matchAll(token)) {
    const [whole, code] = match;
    if (code !== undefined) {
      say(last, match.index);
      inlines.push({ type: 'code', text: code });
      last = match.index + whole.length;
      continue;
    }
    const url = withoutTrailing(whole);
    if (!isWebUrl(url)) continue;
    say(last, match.index);
    inlines.push({ type: 'link', url });
    last = match.index + url.length;
  }
  say(last, text.length);
  return inlines;
}

/** A full stop after an address belongs to the sentence; so does a bracket that was not opened inside it. */
function withoutTrailing(url: string): string {
  let end = url.length;
  let open = 0;
  for (const char of url) open += char === '(' ? 1 : char === ')' ? -1 : 0;
  for (; end > 0; end--) {
    const char = url[end - 1]!;
    if (char === ')' && open < 0) open += 1;
    else if (!'.,;:!?\'"]}*_…'.includes(char)) break;
  }
  return url.slice(0, end);
}

function isWebUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:') && parsed.hostname !== '';
}

/** How much of a very long message is shown before a reader asks for the rest. */
export function clip(body: string, maxLength = 3_000, maxLines = 40): string | null {
  const lines = body.split('\n', maxLines + 1);
  if (body.length <= maxLength && lines.length <= maxLines) return null;
  return lines.slice(0, maxLines).join('\n').slice(0, maxLength);
}

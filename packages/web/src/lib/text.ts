// What is done to a message's text: line breaks, links, `code` and fenced blocks; nothing else. The text is
// untrusted, so it only ever becomes plain strings inside elements, and every step is linear in its length.

export type Inline = { type: 'text'; text: string } | { type: 'code'; text: string } | { type: 'link'; url: string };
export type Block = { type: 'text'; inlines: Inline[] } | { type: 'code'; text: string };

export function parseText(body: string): Block[] {
  const blocks: Block[] = [];
  let text: string[] = [];
  let code: string[] | null = null;
  const endText = () => {
    const joined = trimBlankLines(text);
    if (joined !== '') blocks.push({ type: 'text', inlines: parseInline(joined) });
    text = [];
  };
  for (const line of body.split('\n')) {
    const fence = line.startsWith('```');
    if (code !== null) {
      if (fence && line.slice(3).trim() === '') {
        blocks.push({ type: 'code', text: code.join('\n') });
        code = null;
      } else code.push(line);
    } else if (fence && !line.slice(3).includes('`')) {
      endText();
      code = [];
    } else text.push(line);
  }
  // A fence that was never closed still means code: people paste and send.
  if (code !== null) blocks.push({ type: 'code', text: code.join('\n') });
  endText();
  return blocks;
}

function trimBlankLines(lines: string[]): string {
  let [start, end] = [0, lines.length];
  while (start < end && lines[start]!.trim() === '') start += 1;
  while (end > start && lines[end - 1]!.trim() === '') end -= 1;
  return lines.slice(start, end).join('\n');
}

const token = /`([^`\n]+)`|\bhttps?:\/\/[^\s<>"`]+/g;

export function parseInline(text: string): Inline[] {
  const inlines: Inline[] = [];
  const say = (part: string) => {
    if (part !== '') inlines.push({ type: 'text', text: part });
  };
  let last = 0;
  for (const match of text.matchAll(token)) {
    const [whole, code] = match;
    if (code !== undefined) {
      say(text.slice(last, match.index));
      inlines.push({ type: 'code', text: code });
      last = match.index + whole.length;
      continue;
    }
    const url = withoutTrailing(whole);
    if (!isWebUrl(url)) continue;
    say(text.slice(last, match.index));
    inlines.push({ type: 'link', url });
    last = match.index + url.length;
  }
  say(text.slice(last));
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

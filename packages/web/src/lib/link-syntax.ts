// Where a link in a message may lead: to the web, or to a letter. Nothing else is one.

const schemes = new Set(['https:', 'http:', 'mailto:']);

/** The address as it was written, where it leads to a place one may go; undefined: it is no link. */
export function webLink(target: string): string | undefined {
  // What is not seen, or turns around what is, has no place in an address.
  if (/[\s\p{Cc}\p{Cf}]/u.test(target)) return undefined;
  const url = URL.parse(target);
  if (!url || !schemes.has(url.protocol)) return undefined;
  return url.protocol === 'mailto:' ? (url.pathname.includes('@') ? target : undefined) : url.hostname === '' ? undefined : target;
}

export const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

/** `[label](target "title")`, as `core` found it; what it merged behind it is left over. */
export function markedLink(span: string): { label: string; target: string; length: number } | undefined {
  const close = labelEnd(span);
  if (close === undefined || span[close + 1] !== '(') return undefined;
  const from = skipBlanks(span, close + 2);
  const angled = span[from] === '<';
  const to = angled ? span.indexOf('>', from) : targetEnd(span, from);
  if (to === -1) return undefined;
  let at = skipBlanks(span, angled ? to + 1 : to);
  const quote = span[at];
  if (quote === '"' || quote === "'" || quote === '(') at = skipBlanks(span, span.indexOf(quote === '(' ? ')' : quote, at + 1) + 1);
  if (span[at] !== ')') return undefined;
  const target = span.slice(angled ? from + 1 : from, to).replaceAll(escaped, '$1');
  return { label: span.slice(1, close).replaceAll(escaped, '$1'), target, length: at + 1 };
}

function skipBlanks(span: string, from: number): number {
  let at = from;
  while (at < span.length && /\s/.test(span[at]!)) at += 1;
  return at;
}

/** Up to a blank, or the bracket that ends the link. */
function targetEnd(span: string, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < span.length && !/\s/.test(span[at]!); at++) {
    if (span[at] === '\\' && /[!-/:-@[-`{-~]/.test(span[at + 1] ?? '')) at += 1;
    else if (span[at] === '(') depth += 1;
    else if (span[at] === ')' && --depth < 0) break;
  }
  return at;
}

const escaped = /\\([!-/:-@[-`{-~])/g;

function labelEnd(span: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < span.length; at++) {
    if (span[at] === '\\') at += 1;
    else if (span[at] === '[') depth += 1;
    else if (span[at] === ']' && --depth === 0) return at;
  }
  return undefined;
}

/** A full stop after an address belongs to the sentence; so does a bracket that was not opened inside it. */
export function withoutTrailing(url: string): string {
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

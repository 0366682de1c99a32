// Pairs of quotation marks on one line: what stands between them is somebody's words, or a name that is talked about (PAP-18).

import { hiddenSpans } from './markdown.ts';
import type { TextSpan } from './span.ts';

/** By the mark that opens: those that close it. */
const closing: Readonly<Record<string, RegExp>> = { '"': /"/g, '“': /”/g, '«': /»/g, '„': /[“”]/g };
const opening = /["“«„]/g;
const mayOpenAfter = /^[\s\p{Ps}]?$/u;
const mayCloseBefore = /^[\s\p{P}]?$/u;

/** In order, not overlapping, marks included. */
export function quotationSpans(text: string): TextSpan[] {
  if (!/["“«„]/.test(text)) return [];
  const spans: TextSpan[] = [];
  let start = 0;
  for (const line of visible(text).split('\n')) {
    spans.push(...inLine(line).map((span) => ({ start: span.start + start, end: span.end + start })));
    start += line.length + 1;
  }
  return spans;
}

/** Marks in code and links, and those behind a backslash, quote nothing. Every offset stays. */
function visible(text: string): string {
  let seen = '';
  let at = 0;
  for (const { start, end } of hiddenSpans(text)) {
    seen += text.slice(at, start) + text.slice(start, end).replaceAll(/[^\r\n]/g, '\0');
    at = end;
  }
  return (seen + text.slice(at)).replaceAll(/\\[^\r\n]/g, '\0\0').replaceAll('\r', '\n');
}

function inLine(line: string): TextSpan[] {
  const spans: TextSpan[] = [];
  /** Nothing closes these any more: a later one would look at the same marks again. */
  const unclosed = new Set<string>();
  opening.lastIndex = 0;
  for (let open = opening.exec(line); open; open = opening.exec(line)) {
    const mark = open[0];
    if (unclosed.has(mark) || !mayOpenAfter.test(line.slice(Math.max(0, open.index - 1), open.index))) continue;
    const end = closed(line, open.index + 1, closing[mark]!);
    if (end === undefined) unclosed.add(mark);
    else {
      spans.push({ start: open.index, end });
      opening.lastIndex = end;
    }
  }
  return spans;
}

function closed(line: string, from: number, marks: RegExp): number | undefined {
  marks.lastIndex = from;
  for (let mark = marks.exec(line); mark; mark = marks.exec(line))
    if (mayCloseBefore.test(line.slice(mark.index + 1, mark.index + 2))) return mark.index + 1;
  return undefined;
}

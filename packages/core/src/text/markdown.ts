// The parts of a message that are shown or pointed at rather than said: code, quotes, links. Addresses in them are
// nobody's. Blocks first, then what stands inside a line (inline-markup.ts). Time is linear in the text: no line and no sign
// is looked at more often than a fixed number of times.
//
// Follows CommonMark where chat does. A quote ends with its line: who writes a question under what they quote does not
// mean the question to be quoted, and has not read that a paragraph goes on until a blank line.

import { inlineSpans } from './inline-markup.ts';
import { rememberLast } from './remember-last.ts';
import type { TextSpan } from './span.ts';

/** A stretch of a text that is one thing: what is said, or a block that is shown. */
export interface Part extends TextSpan {
  kind: 'prose' | 'heading' | 'fence' | 'indented' | 'quote' | 'definition';
  /** How many items of lists it stands in. */
  depth: number;
  /** The sign of the item that it begins: `-`, `3.`. */
  marker: string | undefined;
}

const lineEnd = /\r\n?|\n/g;
const listMarker = /(?:[-+*]|\d{1,9}[.)])(?=[ \t\r\n]|$)/y;
const heading = /#{1,6}(?=[ \t\r\n]|$)/y;
// What begins with a sign is rather someone called in brackets than the name of a link.
// Behind its target stands nothing but a title, and a target has a sign that words have not: `[urgent]: ^ORAC look` is said.
const definition =
  /\[(?![\^@])[^[\]\\\r\n]{1,200}\]:[ \t]*(?:<[^<>\r\n]*>|(?![\^@"'(])(?=[^\s/#:.]*(?:[/#:]|\.\S))\S+)(?:[ \t]+(?:"[^"\r\n]*"|'[^'\r\n]*'|\([^()\r\n]*\)))?[ \t]*(?=[\r\n]|$)/y;

/** Code, quotes and links need one of these. */
const hides = /[`~<>[/:\t]|[wW]{3}\.| {4}/;

const nothing: readonly TextSpan[] = [];

/** In order, not overlapping. Addresses and words are read from the same text. */
export const hiddenSpans = rememberLast(spansOf);

function spansOf(text: string): readonly TextSpan[] {
  // Most messages hide nothing: they are not read any further.
  if (!hides.test(text)) return nothing;
  return partsOf(text).flatMap(({ kind, start, end }) =>
    kind === 'prose' || kind === 'heading'
      ? inlineSpans(text.slice(start, end)).map((span) => ({ start: span.start + start, end: span.end + start }))
      : kind === 'indented'
        ? { start, end, indented: true as const }
        : { start, end },
  );
}

/** The same reading for those who show a text: in order, not overlapping. */
export function partsOf(text: string): Part[] {
  const blocks = new Blocks(text);
  let start = 0;
  for (const { 0: end, index } of text.matchAll(lineEnd)) {
    blocks.line(start, index);
    start = index + end.length;
  }
  blocks.line(start, text.length);
  return blocks.finish();
}

interface Fence {
  sign: string;
  length: number;
  start: number;
  depth: number;
  marker: string | undefined;
}

class Blocks {
  private readonly text: string;
  private readonly parts: Part[] = [];
  /** The columns at which the contents of the open list items begin. */
  private readonly items: number[] = [];
  private fence: Fence | undefined;
  private prose: Part | undefined;
  /** Of the item that begins, until something stands in it. */
  private marker: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  line(start: number, end: number): void {
    let [at, column] = this.skipBlanks(start, end, 0);
    if (this.fence) return this.insideFence(at, end);
    if (at === end) return this.endProse();
    while (this.items.length > 0 && column < this.items.at(-1)!) this.items.pop();
    // A paragraph takes in whatever is indented below it; code needs a blank line or a beginning.
    if (!this.prose && column - this.inside() >= 4) return this.add('indented', start, end);
    for (;;) {
      const marker = column - this.inside() < 4 ? this.match(listMarker, at) : undefined;
      if (marker === undefined) break;
      this.endProse();
      const [content, contentColumn] = this.skipBlanks(at + marker.length, end, column + marker.length);
      // Far behind its marker stands code; its item begins one blank after the marker, and so does an empty one's.
      const far = content === end || contentColumn - column - marker.length > 4;
      this.items.push(far ? column + marker.length + 1 : contentColumn);
      this.marker = marker;
      if (content === end) return;
      if (far) return this.add('indented', start, end);
      [at, column] = [content, contentColumn];
    }
    this.content(start, at, end);
  }

  finish(): Part[] {
    this.endProse();
    if (this.fence) this.endFence(this.text.length);
    return this.parts;
  }

  private content(start: number, at: number, end: number): void {
    const fence = this.fenceAt(at, end);
    if (fence) {
      this.endProse();
      this.fence = { ...fence, start, depth: this.items.length, marker: this.begun() };
    } else if (this.text[at] === '>') this.add('quote', start, end);
    else if (!this.prose && this.match(definition, at) !== undefined) this.add('definition', start, end);
    else if (this.match(heading, at) !== undefined) this.add('heading', at, end);
    else if (this.prose) this.prose.end = end;
    else this.prose = { kind: 'prose', start: at, end, depth: this.items.length, marker: this.begun() };
  }

  /** Three or more of a sign. Backticks with another one behind them are code inside a line instead. */
  private fenceAt(at: number, end: number): Pick<Fence, 'sign' | 'length'> | undefined {
    const sign = this.text[at]!;
    if (sign !== '`' && sign !== '~') return undefined;
    let after = at;
    while (after < end && this.text[after] === sign) after++;
    if (after - at < 3) return undefined;
    const next = sign === '`' ? this.text.indexOf('`', after) : -1;
    return next !== -1 && next < end ? undefined : { sign, length: after - at };
  }

  /** It closes with the same sign, at least as long, with nothing behind it; however sloppily indented. */
  private insideFence(at: number, end: number): void {
    const { sign, length } = this.fence!;
    let after = at;
    while (after < end && this.text[after] === sign) after++;
    if (after - at < length || this.skipBlanks(after, end, 0)[0] !== end) return;
    this.endFence(end);
  }

  private endFence(end: number): void {
    const { start, depth, marker } = this.fence!;
    this.parts.push({ kind: 'fence', start, end, depth, marker });
    this.fence = undefined;
  }

  private add(kind: Part['kind'], start: number, end: number): void {
    this.endProse();
    this.parts.push({ kind, start, end, depth: this.items.length, marker: this.begun() });
  }

  private endProse(): void {
    if (this.prose) this.parts.push(this.prose);
    this.prose = undefined;
  }

  private begun(): string | undefined {
    const { marker } = this;
    this.marker = undefined;
    return this.items.length === 0 ? undefined : marker;
  }

  private inside(): number {
    return this.items.at(-1) ?? 0;
  }

  private match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0];
  }

  /** A tab goes to the next multiple of four. */
  private skipBlanks(from: number, end: number, fromColumn: number): [at: number, column: number] {
    let at = from;
    let column = fromColumn;
    for (; at < end; at++) {
      if (this.text[at] === ' ') column++;
      else if (this.text[at] === '\t') column += 4 - (column % 4);
      else break;
    }
    return [at, column];
  }
}

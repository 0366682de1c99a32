// **Strong** and *emphasis*, over pieces of text with code, links and addresses between them. One walk with a stack: an
// opener is looked for only where there is one, and what stands above it is given up, so no sign is looked at again.

import type { Inline } from './inline-text.ts';

export type InlinePiece = { text: string } | { atom: Inline };

interface Opener {
  sign: string;
  length: number;
  /** Where it stands among what was put out; the signs themselves are there until they are matched. */
  at: number;
}

const runs = /\\[!-/:-@[-`{-~]|\*+|_+/g;
/** More than anybody means. Deeper marks are text. */
const deepest = 8;

export function applyEmphasis(pieces: readonly InlinePiece[]): Inline[] {
  const out: Inline[] = [];
  const open: Opener[] = [];
  const say = (text: string) => {
    const last = out.at(-1);
    const held = open.at(-1)?.at === out.length - 1;
    if (text === '') return;
    if (last?.type === 'text' && !held) last.text += text;
    else out.push({ type: 'text', text });
  };
  for (const [n, piece] of pieces.entries()) {
    if ('atom' in piece) {
      out.push(piece.atom);
      continue;
    }
    const { text } = piece;
    let from = 0;
    for (const { 0: run, index } of text.matchAll(runs)) {
      say(text.slice(from, index));
      from = index + run.length;
      if (run.startsWith('\\')) {
        say(run.slice(1));
        continue;
      }
      const before = index > 0 ? text[index - 1]! : beside(pieces[n - 1], -1);
      const after = from < text.length ? text[from]! : beside(pieces[n + 1], 0);
      sign(run, before, after);
    }
    say(text.slice(from));
  }
  return joined(out);

  function sign(run: string, before: string, after: string) {
    let left = run.length;
    // Inside a word `*` and `_` are part of a name or a sum; `**` is not.
    const outside = (char: string) => !/[\p{L}\p{N}_]/u.test(char) || (run[0] === '*' && run.length >= 2);
    const closes = !/\s/.test(before) && before !== '' && outside(after);
    const opens = !/\s/.test(after) && after !== '' && outside(before);
    while (left > 0) {
      const at = closes ? open.findLastIndex((opener) => opener.sign === run[0]) : -1;
      if (at === -1 || open[at]!.at === out.length - 1) break;
      const opener = open[at]!;
      const size = left >= 2 && opener.length >= 2 ? 2 : 1;
      const inlines = joined(out.splice(opener.at + 1));
      left -= size;
      opener.length -= size;
      open.length = opener.length === 0 ? at : at + 1;
      if (opener.length === 0) out.pop();
      else out[opener.at] = { type: 'text', text: run[0]!.repeat(opener.length) };
      out.push({ type: size === 2 ? 'strong' : 'emphasis', inlines });
    }
    if (left === 0) return;
    if (!opens || open.length >= deepest || left > 3) return say(run[0]!.repeat(left));
    out.push({ type: 'text', text: run[0]!.repeat(left) });
    open.push({ sign: run[0]!, length: left, at: out.length - 1 });
  }
}

/** The character of what stands beside; of code, links and addresses, a letter of no word. */
function beside(piece: InlinePiece | undefined, at: number): string {
  return piece === undefined ? '' : 'atom' in piece ? '|' : (piece.text.at(at) ?? '');
}

/** Signs that nothing came of are text like that around them. */
function joined(inlines: readonly Inline[]): Inline[] {
  const out: Inline[] = [];
  for (const inline of inlines) {
    const last = out.at(-1);
    if (inline.type === 'text' && last?.type === 'text') out[out.length - 1] = { type: 'text', text: last.text + inline.text };
    else out.push(inline);
  }
  return out;
}

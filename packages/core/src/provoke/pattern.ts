// Regular expressions of others (PRV-6): RE2 and nothing else, because a pattern that backtracks turns one field of one
// event into a hub that stands still.

import { RE2JS, RE2JSException } from 're2js';

/**
 * RE2 takes time in proportion to the text, but the factor is in how many places of the pattern it can be at once:
 * `(.*a){200}` has hundreds of them. With no more than this, the worst that was found takes 65 ms for 100 KB.
 */
const mostPlaces = 50;
const largestProgram = 400;
const longestPattern = 500;

/** `places`: at how many of its places it can be at once, at most. */
export type Pattern = { ok: true; test: (text: string) => boolean; places: number } | { ok: false; message: string };

/** `whole`: the text from its beginning to its end, instead of anywhere in it. */
export function compilePattern(source: string, whole = false): Pattern {
  if (source.length > longestPattern) return { ok: false, message: `must be at most ${longestPattern} characters` };
  try {
    const program = RE2JS.compile(whole ? `^(?:${source})$` : source);
    const places = placesIn(program);
    if (program.programSize() > largestProgram || places > mostPlaces)
      return { ok: false, message: 'is too large: it repeats too much, or has too many choices' };
    return { ok: true, test: (text) => program.test(text), places: Math.max(1, places) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, message: wordsFor(error.message.replace(/^error parsing regexp: /, '')) };
  }
}

/** By what the library calls it; `part` is where it stands, between backquotes. */
const words: Record<string, (part: string) => string> = {
  'missing closing )': () => 'a ( is not closed',
  'unexpected )': () => 'a ) closes nothing',
  'missing closing ]': (part) => `a [ is not closed: ${part}`,
  'missing argument to repetition operator': (part) =>
    `${part} has nothing before it to repeat; for the sign itself write \\${part.slice(0, 1)}`,
  'invalid nested repetition operator': (part) => `${part} repeats what is repeated already`,
  'invalid character class range': (part) => `there is no such range or class: ${part}`,
  'invalid repeat count': (part) => `${part} must be numbers up to 1000, the smaller first`,
  'trailing backslash at end of expression': () => 'a \\ at the end has nothing after it',
  'duplicate capture group name': (part) => `a group has the name of another: ${part}`,
  'invalid escape sequence': (part) => (/^\\[1-9]/.test(part) ? `it has no references back to a group: ${part}` : `it has no ${part}`),
  'invalid or unsupported Perl syntax': (part) => (/^\(\?[=!]/.test(part) ? `it cannot look ahead: ${part}` : `it has no ${part}`),
  'invalid named capture': (part) =>
    /^\(\?<[=!]/.test(part) ? `it cannot look behind: ${part.slice(0, 4)}` : `a group cannot be named so: ${part}`,
};

function wordsFor(message: string): string {
  const [, what = message, part = ''] = /^(.*?)(?:: `([\s\S]*)`)?$/.exec(message) ?? [];
  return `is not RE2: ${Object.hasOwn(words, what) ? words[what]!(part.slice(0, 60)) : message}`;
}

/** As the library has it: choices are 1 and 2, what takes a character 8 to 11; one character alone is a literal. */
interface Instruction {
  op: number;
  runes: ArrayLike<number>;
}

/**
 * An upper bound on the places that one character can lead to: every choice, every class, and of the literals only those
 * of the same letter. So a list of words counts little, however long it is, and `(a?){50}a{50}` counts in full.
 */
function placesIn(program: RE2JS): number {
  const { inst } = program.re2Input.prog as { inst: readonly Instruction[] };
  const letters = new Map<string, number>();
  let others = 0;
  for (const { op, runes } of inst) {
    if (op === 1 || op === 2) others++;
    else if (op >= 8 && op <= 11) {
      const letter = runes.length === 1 ? String.fromCodePoint(runes[0]!).toLowerCase() : undefined;
      if (letter === undefined) others++;
      else letters.set(letter, (letters.get(letter) ?? 0) + 1);
    }
  }
  return others + Math.max(0, ...letters.values());
}

// Regular expressions of others (PRV-6): RE2 and nothing else, because a pattern that backtracks turns one field of one
// event into a hub that stands still.

import { RE2JS, RE2JSException } from 're2js';

/**
 * RE2 takes time in proportion to the text, but the factor is the size of the program: `(.*a){200}` has as many places
 * at once where it may be. With this many, the worst that was found takes under 100 ms for 100 KB on a common machine.
 * Lists of names, which are what makes honest patterns long, are what `in` is for.
 */
export const largestProgram = 64;
export const longestPattern = 500;

export type Pattern = { ok: true; test: (text: string) => boolean } | { ok: false; message: string };

/** `whole`: the text from its beginning to its end, instead of anywhere in it. */
export function compilePattern(source: string, whole = false): Pattern {
  if (source.length > longestPattern) return { ok: false, message: `must be at most ${longestPattern} characters` };
  try {
    const program = RE2JS.compile(whole ? `^(?:${source})$` : source);
    if (program.programSize() > largestProgram)
      return { ok: false, message: 'is too large: shorten its repetitions, or use `in` for a list of values' };
    return { ok: true, test: (text) => program.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, message: `is not RE2: ${error.message.replace(/^error parsing regexp: /, '')}` };
  }
}

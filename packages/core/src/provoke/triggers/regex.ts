// Searches in texts for others (PRV-6). A regular expression is RE2 and nothing else. Linear time still has a factor, and compiling takes time, too:
// a hub asks a thread that it can stop, so that everything here takes the answers as data.

import { RE2JS, RE2JSException } from 're2js';

/** The answers about regular expressions, and about what a text contains; and the count of what takes time besides. */
export interface Patterns {
  /** Undefined: RE2 accepts it. */
  problem: (source: string) => string | undefined;
  /** Null: it took too long. `owner`: whose time it takes; empty where it is nobody's yet. */
  holds: (source: string, text: string, owner: string) => boolean | null;
  contains: (part: string, text: string, owner: string) => boolean | null;
  /** Before a path of so many steps is walked. */
  walk: (steps: number) => void;
}

/** The check of a definition before any event comes. */
export type PatternCheck = Pick<Patterns, 'problem'>;

/** For definitions that were checked when they were written. */
export const uncheckedPatterns: PatternCheck = { problem: () => undefined };

export type Pattern = { ok: true; test: (text: string) => boolean; size: number } | { ok: false; message: string };

/** `whole`: the text from its beginning to its end, instead of anywhere in it. */
export function compilePattern(source: string, whole = false): Pattern {
  try {
    const program = RE2JS.compile(whole ? `^(?:${source})$` : source);
    return { ok: true, test: (text) => program.test(text), size: program.programSize() };
  } catch (error) {
    // The parser goes into groups by recursion.
    if (error instanceof RangeError) return { ok: false, message: 'is not RE2: it nests too deeply' };
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, message: wordsFor(error.message.replace(/^error parsing regexp: /, '')) };
  }
}

/** The answers, each worked out when it is asked for: for programs where nobody else waits. */
export function directPatterns(): Patterns {
  const compiled = new Map<string, Pattern>();
  const of = (source: string): Pattern => {
    const made = compiled.get(source) ?? compilePattern(source);
    compiled.set(source, made);
    return made;
  };
  return {
    problem: (source) => {
      const made = of(source);
      return made.ok ? undefined : made.message;
    },
    holds: (source, text) => {
      const made = of(source);
      return made.ok && made.test(text);
    },
    contains: (part, text) => text.includes(part),
    walk: () => {},
  };
}

/** Right by itself: then it is the counts inside it that multiply. */
function isCount(part: string): boolean {
  const [least = 0, most = least] = (part.match(/\d+/g) ?? []).map(Number);
  return least <= most && most <= 1000;
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
  'invalid repeat count': (part) =>
    isCount(part)
      ? `${part} repeats what is repeated in it, together more than 1000 times`
      : `${part} must be numbers up to 1000, the smaller first`,
  'trailing backslash at end of expression': () => 'a \\ at the end has nothing after it',
  'duplicate capture group name': (part) => `a group has the name of another: ${part}`,
  'invalid escape sequence': (part) => (/^\\[1-9]/.test(part) ? `it has no references back to a group: ${part}` : `it has no ${part}`),
  'invalid or unsupported Perl syntax': (part) => (/^\(\?[=!]/.test(part) ? `it cannot look ahead: ${part}` : `it has no ${part}`),
  'invalid named capture': (part) =>
    /^\(\?<[=!]/.test(part) ? `it cannot look behind: ${part.slice(0, 4)}` : `a group cannot be named so: ${part}`,
};

function wordsFor(message: string): string {
  const [, what = message, part = ''] = /^(.*?)(?:: `([\s\S]*)`)?$/.exec(message) ?? [];
  return `is not RE2: ${Object.hasOwn(words, what) ? words[what]!(part.slice(0, 60)) : message.slice(0, 200)}`;
}

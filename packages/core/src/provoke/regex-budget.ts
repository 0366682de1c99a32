// What regular expressions may cost one event. Everybody waits while one is looked for, so that each is asked once for a
// place of an event, whoever's filter it is, and the filters of one owner together have a budget: used up, they cannot tell,
// as with a text that is too long for any. Nobody's filters take from another's.

import type { PapEvent } from '@parley/protocol';
import type { Pattern } from './pattern.ts';

/**
 * A regular expression takes time in proportion to the text, and everybody waits for it: it is put to none that is longer
 * than this. Where one is, the trigger says so instead of guessing.
 */
export const longestText = 128_000;

/** Letters times the places a pattern can be at: the most costly pattern over the longest text, and half as much again. */
export const mostLooks = 10_000_000;

/** So little that to count it would take as long. */
const toLookAway = 1000;

interface Asked {
  /** What each pattern said of each place. */
  said: Map<string, boolean>;
  left: Map<string, number>;
  /** By owner, pattern and place. Once untold, it stays so: the index, the record and the answer have to say the same. */
  untold: Set<string>;
}

/** As long as the event itself is looked at: however often a group is decided, and in a dry run. */
const asked = new WeakMap<PapEvent, Asked>();

function askedOf(event: PapEvent): Asked {
  const before = asked.get(event);
  if (before) return before;
  const made: Asked = { said: new Map(), left: new Map(), untold: new Set() };
  asked.set(event, made);
  return made;
}

/** Null: it cannot tell. */
export type PatternTest = (text: string, event: PapEvent) => boolean | null;

/** `name`: of the pattern and its place, the same for all that are the same. `owner`: whose budget it is. */
export function withinBudget({ test, places }: Extract<Pattern, { ok: true }>, name: string, owner: string): PatternTest {
  const theirs = `${owner} ${name}`;
  return (text, event) => {
    const looks = text.length * places;
    if (looks <= toLookAway) return test(text);
    const { said, left, untold } = askedOf(event);
    if (untold.has(theirs)) return null;
    const before = said.get(name);
    if (before !== undefined) return before;
    const rest = (left.get(owner) ?? mostLooks) - looks;
    if (text.length > longestText || rest < 0) {
      untold.add(theirs);
      return null;
    }
    left.set(owner, rest);
    const holds = test(text);
    said.set(name, holds);
    return holds;
  };
}

/** Whether any filter that was asked could not tell. */
export const leftUntold = (event: PapEvent): boolean => (asked.get(event)?.untold.size ?? 0) > 0;

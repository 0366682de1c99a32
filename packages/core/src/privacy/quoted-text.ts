// Whether a text quotes another, in whole or in part (SYS-6): by the words they have in common in the same order, whatever
// stands between them. Linear in both: a run of words is looked up, not searched for.

import { isPlain } from '../text/look-alike.ts';

/** JSON inside a string, as tools are given it: what is written as an escape is read as what it means. */
const escapes = /\\+(?:u([0-9a-f]{4})|[nrt"'/])/giu;
const unescaped = (text: string): string =>
  text.replaceAll(escapes, (_all, code: string | undefined) => (code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16))));

/** Most texts: there is nothing in them that looks otherwise than it is, and they are read at a tenth of the cost. */
const formed = (text: string): string => (isPlain(text) ? text : text.normalize('NFKC').replaceAll(/\p{Cf}/gu, ''));

/** In one case and form, with what cannot be seen left out. */
export const foldForQuotes = (text: string): string =>
  formed(text.includes('\\') ? unescaped(text) : text)
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Where words are not set apart, each letter is taken for one. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
/** A date or an amount is one, whatever its figures are set apart by. */
const word = /\p{N}+(?:[-./:,]\p{N}+)+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu;
const plainWord = /[0-9]+(?:[-./:,][0-9]+)+|[a-z0-9]+/g;
const wordsIn = (text: string): string[] => text.match(isPlain(text) ? plainWord : word) ?? [];

/** A number, or longer than the words that are in every sentence. */
const tells = (one: string): boolean => one.length >= 5 || /\p{N}/u.test(one);
/** Letters and figures in one: a key, a number of something. It says all by itself. */
const isCode = (one: string): boolean => one.length >= 8 && /\p{N}/u.test(one) && /\p{L}/u.test(one);
const codesIn = (text: string): string[] => text.split(/[\s"'`,;()[\]{}<>|]+/u).map((one) => one.replaceAll(/^[.:!?*_]+|[.:!?*_]+$/gu, ''));

/** So many words in a row are a quotation, if so many of them tell something: of fewer nobody can say that they were taken from there. */
interface Run {
  length: number;
  telling: number;
}
const six: Run = { length: 6, telling: 1 };
const five: Run = { length: 5, telling: 2 };

/** Six words in a row; five where that is half of all. */
function runsFor(words: readonly string[]): Run[] {
  const letters = words.filter((one) => one.length === 1 && unspaced.test(one)).length;
  if (letters * 2 > words.length) return [{ length: Math.max(8, Math.min(16, Math.ceil(words.length / 2))), telling: 0 }];
  return words.length <= 10 ? [five, six] : [six];
}

const mostOfIt = 0.75;
const fewestPairs = 5;

const isWordSign = /[\p{L}\p{N}]/u;
/** In letters that are not set apart, a word can begin anywhere. */
const goesOn = (sign: string | undefined, next: string | undefined): boolean =>
  sign !== undefined &&
  next !== undefined &&
  isWordSign.test(sign) &&
  isWordSign.test(next) &&
  !unspaced.test(sign) &&
  !unspaced.test(next);

/** As a whole, and not inside a longer word or number. */
function standsIn(part: string, whole: string): boolean {
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + 1))
    if (!goesOn(whole[at - 1], part[0]) && !goesOn(part.at(-1), whole[at + part.length])) return true;
  return false;
}

/** Shorter ones are found in any text. */
export const shortestQuote = 6;

/** For one text, asked of any number of others. */
export function quotedIn(text: string): (value: string) => boolean {
  const whole = foldForQuotes(text);
  const words = wordsIn(whole);
  const known = new Set(words);
  const codes = new Set(codesIn(whole));
  const runs = new Map<number, Set<string>>();
  const runsOf = (length: number): Set<string> => {
    const before = runs.get(length);
    if (before) return before;
    const made = new Set<string>();
    for (let at = 0; at + length <= words.length; at++) made.add(words.slice(at, at + length).join(' '));
    runs.set(length, made);
    return made;
  };
  return (value) => {
    const part = foldForQuotes(value);
    if (part.length < shortestQuote) return false;
    if (standsIn(part, whole)) return true;
    if (/\p{N}/u.test(part) && codesIn(part).some((one) => isCode(one) && codes.has(one))) return true;
    const parts = wordsIn(part);
    const isShort = parts.length > 0 && parts.length <= six.length;
    if (isShort && parts.every((one) => known.has(one)) && runsOf(parts.length).has(parts.join(' '))) return true;
    return runsFor(parts).some((run) => hasRun(parts, run)) || isInPieces(parts);
  };

  /** Most of its pairs of words: it was taken apart, and other words put between. */
  function isInPieces(parts: readonly string[]): boolean {
    if (parts.length < six.length || parts.filter((one) => known.has(one)).length < parts.length * mostOfIt) return false;
    const pairs = new Set(parts.slice(1).map((one, at) => `${parts[at]!} ${one}`));
    const found = [...pairs].filter((pair) => runsOf(2).has(pair));
    return found.length >= Math.max(fewestPairs, pairs.size * mostOfIt) && found.filter((pair) => pair.split(' ').some(tells)).length >= 2;
  }

  function hasRun(parts: readonly string[], { length, telling }: Run): boolean {
    for (let at = 0, inText = 0; at < parts.length; at++) {
      inText = known.has(parts[at]!) ? inText + 1 : 0;
      if (inText < length) continue;
      const run = parts.slice(at - length + 1, at + 1);
      if (run.filter(tells).length >= telling && runsOf(length).has(run.join(' '))) return true;
    }
    return false;
  }
}

// Finds quotations of one text in another, in whole or in part (SYS-6), by the words that both have in the same order. Linear in both
// texts, because a run of words is looked up and not searched for.

import { isPlain } from '../text/look-alike.ts';

/** Escapes of JSON inside a string, as tools get it. They are read as the signs that they mean. */
const escapes = /\\+(?:u([0-9a-f]{4})|[nrt"'/])/giu;
const unescaped = (text: string): string =>
  text.replaceAll(escapes, (_all, code: string | undefined) => (code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16))));

/** Most texts are plain and need no normal form, which makes them ten times as fast to read. */
const formed = (text: string): string => (isPlain(text) ? text : text.normalize('NFKC').replaceAll(/\p{Cf}/gu, ''));

/** The text in lower case and one form, without invisible signs. */
export const foldForQuotes = (text: string): string =>
  formed(text.includes('\\') ? unescaped(text) : text)
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Scripts without spaces between words: each letter counts as a word. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
/** A date or an amount is one word, with any separators. */
const word = /\p{N}+(?:[-./:,]\p{N}+)+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu;
const plainWord = /[0-9]+(?:[-./:,][0-9]+)+|[a-z0-9]+/g;
const wordsIn = (text: string): string[] => text.match(isPlain(text) ? plainWord : word) ?? [];

/** Whether a word is a number, or longer than the words of every sentence. */
const isRare = (one: string): boolean => one.length >= 5 || /\p{N}/u.test(one);
/** Whether a word has letters and digits, as keys and reference numbers have. One such word is a quotation. */
const isCode = (one: string): boolean => one.length >= 8 && /\p{N}/u.test(one) && /\p{L}/u.test(one);
const codesIn = (text: string): string[] => text.split(/[\s"'`,;()[\]{}<>|]+/u).map((one) => one.replaceAll(/^[.:!?*_]+|[.:!?*_]+$/gu, ''));

/** A run of `length` words is a quotation if `telling` of them are rare enough; a shorter run may be chance. */
interface Run {
  length: number;
  telling: number;
}
const six: Run = { length: 6, telling: 1 };
const five: Run = { length: 5, telling: 2 };

/** Six words in a row are a quotation, and five if the value has at most ten. */
function runsFor(words: readonly string[]): Run[] {
  const letters = words.filter((one) => one.length === 1 && unspaced.test(one)).length;
  if (letters * 2 > words.length) return [{ length: Math.max(8, Math.min(16, Math.ceil(words.length / 2))), telling: 0 }];
  return words.length <= 10 ? [five, six] : [six];
}

const shareOfMost = 0.75;
const fewestPairs = 5;

const isWordSign = /[\p{L}\p{N}]/u;
/** Whether two signs belong to one word. In scripts without spaces a word can begin anywhere. */
const areOneWord = (sign: string | undefined, next: string | undefined): boolean =>
  sign !== undefined &&
  next !== undefined &&
  isWordSign.test(sign) &&
  isWordSign.test(next) &&
  !unspaced.test(sign) &&
  !unspaced.test(next);

/** Whether the part stands in the text, and not inside a longer word or number. */
function hasWhole(part: string, whole: string): boolean {
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + 1))
    if (!areOneWord(whole[at - 1], part[0]) && !areOneWord(part.at(-1), whole[at + part.length])) return true;
  return false;
}

/** Shorter values stand in any text by chance. */
export const shortestQuote = 6;

/** Prepares one text for any number of values. */
export function quotedIn(text: string): (value: string) => boolean {
  const whole = foldForQuotes(text);
  const words = wordsIn(whole);
  const wordsOfText = new Set(words);
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
    if (hasWhole(part, whole)) return true;
    if (/\p{N}/u.test(part) && codesIn(part).some((one) => isCode(one) && codes.has(one))) return true;
    const parts = wordsIn(part);
    const isShort = parts.length > 0 && parts.length <= six.length;
    if (isShort && parts.every((one) => wordsOfText.has(one)) && runsOf(parts.length).has(parts.join(' '))) return true;
    return runsFor(parts).some((run) => hasRun(parts, run)) || isInPieces(parts);
  };

  /** Whether the text has most of the value's pairs of words. Then the value was taken apart, with other words between. */
  function isInPieces(parts: readonly string[]): boolean {
    if (parts.length < six.length || parts.filter((one) => wordsOfText.has(one)).length < parts.length * shareOfMost) return false;
    const pairs = new Set(parts.slice(1).map((one, at) => `${parts[at]!} ${one}`));
    const found = [...pairs].filter((pair) => runsOf(2).has(pair));
    return (
      found.length >= Math.max(fewestPairs, pairs.size * shareOfMost) && found.filter((pair) => pair.split(' ').some(isRare)).length >= 2
    );
  }

  function hasRun(parts: readonly string[], { length, telling }: Run): boolean {
    for (let at = 0, inText = 0; at < parts.length; at++) {
      inText = wordsOfText.has(parts[at]!) ? inText + 1 : 0;
      if (inText < length) continue;
      const run = parts.slice(at - length + 1, at + 1);
      if (run.filter(isRare).length >= telling && runsOf(length).has(run.join(' '))) return true;
    }
    return false;
  }
}

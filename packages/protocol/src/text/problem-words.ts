// The problems of a value as texts for its author. The library names inputs and expectations; an author needs to know what to write.

import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/** An option of `parse`: texts for all problems that the schema itself does not word. */
export const plainErrors = { error: (issue: Issue): string => wordsFor(issue) };

function wordsFor(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') return unknownFields(issue);
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.expected, issue.input);
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${JSON.stringify(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return sizeWords(issue.origin, issue.exact ? 'exactly' : issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'too_small':
      if (issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int' && !issue.exact) return 'must not be empty';
      return sizeWords(issue.origin, issue.exact ? 'exactly' : issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.format === 'regex' ? 'has the wrong form' : `must be of the form ${issue.format}`;
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return 'has none of the allowed forms';
  }
}

const units: Record<string, string> = { string: ' characters', array: ' entries', set: ' entries', map: ' entries', file: ' bytes' };

const sizeWords = (origin: string, bound: string, size: number | bigint): string => `must be ${bound} ${size}${units[origin] ?? ''}`;

const typeNames: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

function typeWords(expected: string, input: unknown): string {
  const must = `must be ${typeNames[expected] ?? expected}`;
  // In YAML a name without a value is null; in JSON an author writes null.
  if (input === null) return `${must}, but nothing is there`;
  if (typeof input === 'number' && (expected === 'number' || expected === 'int')) return must;
  const kind = Array.isArray(input) ? 'array' : typeof input;
  return `${must}, not ${typeof input === 'boolean' ? String(input) : (typeNames[kind] ?? kind)}${quoteHint(expected, input)}`;
}

/** Suggests quotes or none: quotes make any value a text, and without them a text can be a number. */
function quoteHint(expected: string, input: unknown): string {
  if (expected === 'string' && (typeof input === 'number' || typeof input === 'boolean')) return ': put it in quotes';
  if (typeof input !== 'string') return '';
  const isUnquotedValue =
    ((expected === 'number' || expected === 'int') && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(input)) ||
    (expected === 'boolean' && /^(?:true|false)$/.test(input));
  return isUnquotedValue ? `: ${input}, without quotes` : '';
}

/** Only this many unknown names get a suggestion, because each is compared with all known names. */
const mostHints = 20;
/** No more problems than these are reported, so further texts are not made. */
const mostReported = 100;

/** One line for each unknown field, in their order. */
function unknownFields(issue: Extract<Issue, { code: 'unrecognized_keys' }>): string {
  const { shape } = (issue.inst as z.core.$ZodObject | undefined)?._zod.def ?? { shape: {} };
  const names = Object.keys(shape);
  const unknownText = 'is not a field here';
  const are = names.length === 1 ? 'there is only' : 'there are';
  const others = names.length === 0 || names.length > 12 ? unknownText : `${unknownText}: ${are} ${names.join(', ')}`;
  return issue.keys
    .slice(0, mostReported)
    .map((key, i) => {
      if (/^[\w.-]+:/.test(key)) return `${unknownText}: a blank must follow the colon`;
      const suggestion = i < mostHints ? nearest(key, names) : undefined;
      return suggestion === undefined ? others : `${unknownText}, but ${suggestion} is`;
    })
    .join('\n');
}

/** The known name that is a slip or two away, or the only one with the same beginning. */
function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length < 2 || word.length > 64) return undefined;
  const key = word.toLowerCase();
  const [best] = names.map((name) => ({ name, slips: slipsBetween(key, name.toLowerCase()) })).toSorted((a, b) => a.slips - b.slips);
  if (best && best.slips <= Math.max(1, Math.floor(word.length / 4))) return best.name;
  const sameBeginning = names.filter((name) => name.startsWith(key) || key.startsWith(name));
  return sameBeginning.length === 1 ? sameBeginning[0] : undefined;
}

/** The number of letters to change, add, drop or swap to make one text of the other. */
function slipsBetween(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before![j - 2]! + 1 : Infinity;
      row.push(Math.min(last![j]! + 1, row[j - 1]! + 1, last![j - 1]! + same, swapped));
    }
    [before, last] = [last, row];
  }
  return last![b.length]!;
}

// Results of a tool server that is one person's own are that person's connected data (SYS-6), under the field `tool.<server>`.

import { foldForQuotes, shortestQuote } from './quoted-text.ts';

export const connectedField = (server: string): string => `tool.${server}`;

/** A longer result is scanned in part. Withholding and approval do not depend on the scan. */
const mostLetters = 40_000;

/** The texts and numbers of a JSON result, or the lines of any other. */
export function valuesInResult(text: string): string[] {
  let letters = 0;
  return [...new Set(leavesOf(text).flatMap((leaf) => leaf.split('\n').map((line) => line.trim())))].filter(
    (value) => foldForQuotes(value).length >= shortestQuote && (letters += value.length) <= mostLetters,
  );
}

function leavesOf(text: string): string[] {
  try {
    return leavesIn(JSON.parse(text));
  } catch {
    return [text];
  }
}

function leavesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesIn) : [];
}

/** To the brain, in place of them. */
export const withheldResultsText = (server: string): string =>
  `The results of ${server} are private data of their owner and are withheld from this turn, because your answer reaches others. If the request needs them, say that ${server} is not available here.`;

/** In the list of tool servers, on the page and in the terminal. */
export const privateResultsText = 'Withheld where others hear the answer';

// Connected data (SYS-6): the results of a tool server that belongs to one person, under the field `tool.<server>`.

import { textsIn } from './private-value-scan.ts';
import { foldForQuotes, shortestQuote } from './quoted-text.ts';

export const connectedField = (server: string): string => `tool.${server}`;

/** A longer result is scanned in part. Withholding and approval do not depend on the scan. */
const mostLetters = 40_000;

/** The texts and numbers of a JSON result, or the lines of any other result. */
export function valuesInResult(text: string): string[] {
  let letters = 0;
  return [...new Set(leavesOf(text).flatMap((leaf) => leaf.split('\n').map((line) => line.trim())))].filter(
    (value) => foldForQuotes(value).length >= shortestQuote && (letters += value.length) <= mostLetters,
  );
}

function leavesOf(text: string): string[] {
  try {
    return textsIn(JSON.parse(text));
  } catch {
    return [text];
  }
}

/** The brain reads this instead of the results. */
export const withheldResultsText = (server: string): string =>
  `The results of ${server} are private data of their owner and are withheld from this turn, because your answer reaches others. If the request needs them, say that ${server} is not available here.`;

/** The page and the terminal show this in the list of tool servers. */
export const privateResultsText = 'Withheld where others hear the answer';

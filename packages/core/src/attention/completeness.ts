// Does a message look finished (C2A-4)? An agent waits briefly after one that does, and longer after one that does not. A
// mistake costs little: words that come later restart the turn (C2A-28).

import type { Address } from '../address/address.ts';
import { signBefore } from '../text/span.ts';
import { textWithoutAddresses } from './message-wording.ts';

/** Longer than this, nobody sends half of it. */
const longText = 200;
const enoughWords = 3;
/** Scripts without spaces: so many signs say about as much as one word. */
const signsPerWord = 2;

/** Words that cannot end a request: conjunctions, and articles, after which something must follow. */
const openEnded = new Set(
  [
    'and or but nor because so that if when while whether unless until although though since plus then than as the a an my your our their',
    'und oder aber sondern weil dass daß wenn ob während damit sowie denn der die das ein eine einen einem dem den',
    'et ou mais donc car que si quand lorsque parce puisque le la les un une des du',
    'y e o u pero sino porque que si cuando aunque el la los las un una unos unas',
    'ed ma perché se quando che il lo gli uno',
    'ou mas porque quando o os as um uma',
    'en of maar want omdat dat als terwijl het een de',
  ].flatMap((words) => words.split(' ')),
);
/** Words of these that also end a request: "ok then", "I think so", "what is das". A single letter is a capital. */
const alsoEnds = new Set(['then', 'that', 'so', 'though', 'as', 'u', 'of', 'als', 'se', 'das', 'si', 'A', 'E', 'O', 'Y']);

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
/** Quotation marks, brackets and emphasis that close, and whatever smiles: they stand after the end. */
const closing = /^[\s"'”’»)\]}*_~\p{Extended_Pictographic}\u{FE0F}\u{200D}\p{Emoji_Modifier}]$/u;

/** `later`: it goes on with what its author has begun to write, so that some words without an end mark end nothing. */
export function isComplete(text: string, addresses: readonly Address[] = [], later = false): boolean {
  const said = textWithoutAddresses(text, addresses).trim();
  if ((said.match(/^[^\S\r\n\u2028\u2029]*```/gmu)?.length ?? 0) % 2 === 1) return false;
  if (said.endsWith('```')) return true;
  const end = withoutClosing(said) || said;
  if (!/[\p{L}\p{N}]/u.test(said)) return /[!?]$/u.test(end);
  if (/(?:\.\.|…)$/u.test(end) || /[,;:،、，；：([{„“«\-‐‑‒–—+&/]$/u.test(end)) return false;
  if (/[.!?。！？؟।]$/u.test(end)) return true;
  // The last word is enough of a long text; one that is longer than this is in no list.
  const words = end.slice(-longText).match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
  const last = words.at(-1) ?? '';
  if (openEnded.has(last.toLowerCase()) && !alsoEnds.has(last.length === 1 ? last : last.toLowerCase())) return false;
  return end.length > longText || (!later && countWords(words) >= enoughWords);
}

/** From the end, as a pattern would try every run of these in the text. */
function withoutClosing(said: string): string {
  let end = said.length;
  for (let sign = signBefore(said, end); sign !== '' && closing.test(sign); sign = signBefore(said, end)) end -= sign.length;
  return said.slice(0, end);
}

const countWords = (words: readonly string[]): number =>
  words.reduce((sum, word) => sum + (spaceless.test(word) ? Math.ceil(Array.from(word).length / signsPerWord) : 1), 0);

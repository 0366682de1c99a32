// What a reply adds to what was said before (C2A-19): new words, numbers, names, a question, code or a link. Words are cut to
// their beginnings, as six languages share one rule that way; grammar, thanks and agreement are no news. Linear in the text.

import { asksInJapanese, commandsIn, isJapanese } from './asking.ts';
import { isFiller } from './filler.ts';
import { echoes, grammar, idleWords, japaneseEchoes, numerals } from './words/novelty.ts';
import { clausesOf, endsOf, foldText, wordsOf } from '../text/spoken-text.ts';

/** So much of each text is looked at; what is longer adds something by that alone. */
const longestRead = 8_000;
/** Letters of a word that count: "review", "reviewed" and "reviewing" are one. */
const stemLength = 5;

export interface Novelty {
  /** Content words not said before, and their share of all content words. */
  words: number;
  share: number;
  /** Numbers and names (paths, versions, identifiers) not said before. */
  facts: number;
  /** It asks something. */
  asks: boolean;
}

/** As much of a text as is looked at, folded; again cut, as one sign may stand for eighteen. */
export const foldedStart = (text: string): string => foldText(text.slice(0, longestRead)).slice(0, longestRead);

/** The stems a text is made of, without grammar and courtesy. */
export interface Content {
  words: ReadonlySet<string>;
  facts: ReadonlySet<string>;
}

export function contentOf(text: string, without?: 'idling'): Content {
  const words = new Set<string>();
  const facts = new Set<string>();
  for (const [run] of foldedStart(text).replaceAll(japaneseEchoes, ' ').matchAll(token)) {
    const word = run.replace(/^['’.:/-]+|['’.,:/-]+$/gu, '');
    if (/\d/u.test(word)) for (const [number] of word.matchAll(/\d[\d.,:]*\d|\d/gu)) facts.add(number.replaceAll(/[.,]/gu, ''));
    if (/\p{L}\d|\d\p{L}{2}|[/_#@]|\p{L}\.\p{L}|\p{L}-\d/u.test(word)) facts.add(word);
    else if (word in numerals) facts.add(numerals[word]!);
    // A sign that stands alone is a word (鍵, 寄り); in a row they are taken by twos.
    else if (han.test(word)) for (let at = 0; at < Math.max(1, word.length - 1); at++) words.add(word.slice(at, at + 2));
    else if (/^\p{L}/u.test(word))
      for (const part of word.split(/['’-]/u)) if (counts(part) && !(without && idleWords.has(part))) words.add(part.slice(0, stemLength));
  }
  return { words, facts };
}

const token =
  /[\p{Script=Han}\p{Script=Katakana}ー]+|[\p{Script=Hiragana}]+|(?:(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])[\p{L}\p{M}\p{N}_#@/'.,:-])+/gu;
const han = /^[\p{Script=Han}\p{Script=Katakana}ー]/u;
const counts = (word: string): boolean => word.length > 1 && !/^\p{Script=Hiragana}/u.test(word) && !grammar.has(word) && !echoes.has(word);

/** What the text adds to what was said, newest last. */
export function novelty(text: string, earlier: readonly string[]): Novelty {
  const { words, facts } = contentOf(text);
  const known = earlier.map((said) => contentOf(said));
  const isNew = (kind: keyof Content, one: string): boolean => !known.some((content) => content[kind].has(one));
  const newWords = [...words].filter((word) => isNew('words', word)).length;
  return {
    words: newWords,
    share: words.size === 0 ? 0 : newWords / words.size,
    facts: [...facts].filter((fact) => isNew('facts', fact)).length,
    asks: /[?？¿]|か[。\s]*$/u.test(text),
  };
}

/** So many new words may be another way to say the same, if no more than this share of the words is new and it says that it agrees. */
const fewWords = 1;
const smallShare = 0.4;

/** Sure that it adds nothing: the words are those of before, and nobody waits for any answer. */
export function addsNothing(text: string, earlier: readonly string[]): boolean {
  if (text.length > longestRead || earlier.length === 0 || awaits(earlier.at(-1) ?? '') || /```|https?:/u.test(text)) return false;
  if (isFiller(text)) return true;
  const added = novelty(text, earlier);
  const plain = foldText(text);
  if (added.facts > 0 || added.asks || contrasts.test(plain)) return false;
  return added.words === 0 || (added.words <= fewWords && added.share <= smallShare && wordsOf(plain).some((word) => echoes.has(word)));
}

/**
 * Sure enough to refuse it: it adds nothing, and tells nobody to do anything either. In talk that moves on, "set it there,
 * too" has no new word in it, and is a step all the same; so is a wording put forward, that something is so now, and the
 * same "passes" about the next one.
 */
export function isIdle(text: string, earlier: readonly string[]): boolean {
  if (isEcho(text, earlier.at(-1) ?? '')) return true;
  if (!addsNothing(text, earlier) || /["“”„«»「」『』]/u.test(text)) return false;
  const plain = foldText(text);
  if (commands(plain) || /(?<!\p{L})n['’]\p{L}/u.test(plain) || changed.test(plain)) return false;
  return addsNothing(text, earlier.slice(-1)) || !brings(earlier);
}

/** A question, said back word for word. */
const isEcho = (text: string, said: string): boolean => /[?？¿]/u.test(said) && echoForm(text) === echoForm(said);
const echoForm = (text: string): string =>
  foldedStart(text)
    .replaceAll(/[^\p{L}\p{N}?]+/gu, ' ')
    .trim();

const changed = /(?<!\p{L})(?:now|jetzt|nun|maintenant|ahora|şimdi|artık)(?!\p{L})|今は/u;

/** The last of them says something that those before it had not, so that an old word may be about something new. */
function brings(earlier: readonly string[]): boolean {
  const { words, facts } = novelty(earlier.at(-1) ?? '', earlier.slice(0, -1));
  return words + facts > 0;
}

const courtesy = /(?<!\p{L})(?:please|bitte|lütfen|por favor|s'il)(?!\p{L})/u;
const commands = (plain: string): boolean => !isJapanese(plain) && (courtesy.test(plain) || clausesOf(plain).some(commandsIn));

/** After a question or a request even "done" is news. */
function awaits(said: string): boolean {
  if (/[?？¿]/u.test(said)) return true;
  const plain = endsOf(foldText(endsOf(said, longestRead)), longestRead);
  return isJapanese(plain) ? asksInJapanese(plain) : commands(plain);
}

/** But, except, not yet, only: what follows is not what was said. */
const contrasts =
  /(?<!\p{L})(?:but|except|however|though|unless|not|no|never|only|already|instead|wrong|nope|nein|nicht|aber|außer|nur|sondern|kein|keine|bereits|non|pas|mais|sauf|seulement|déjà|plutôt|pero|salvo|solo|sino|ama|fakat|yalnız|hayır|değil|sakın|birinci|sadece)(?!\p{L})|でも|ただし|だけ|しか|だめ|ですが|もです|(?:ました|ません)[。!\s]*$/u;

// What a reply adds to the messages before it (C2A-19): new words, numbers, names, a question, code or a link. Words are cut to their
// beginnings, so that six languages share one rule; grammar, thanks and agreement add nothing. Linear in the text.

import { asksInJapanese, commandsIn, isJapanese } from './asking.ts';
import { isFiller } from './filler.ts';
import { echoes, grammar, idleWords, japaneseEchoes, numerals } from './words/novelty.ts';
import { clausesOf, endsOf, foldText, wordsOf } from '../text/spoken-text.ts';

/** Only this much of a text is read. A longer text always adds something. */
const longestRead = 8_000;
/** Words with the same first letters count as one: "review", "reviewed" and "reviewing". */
const stemLength = 5;

export interface Novelty {
  /** New content words, and their share of all content words. */
  words: number;
  share: number;
  /** New numbers and names (paths, versions, identifiers). */
  facts: number;
  /** The text asks something. */
  asks: boolean;
}

/** The part of a text that is read, folded. It is cut twice, because folding can turn one sign into eighteen. */
export const foldedStart = (text: string): string => foldText(text.slice(0, longestRead)).slice(0, longestRead);

/** The stems of a text, without grammar and courtesy. */
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
    // A single sign is a word (鍵, 寄り); of several, each pair of neighbours counts as one.
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

/** What the text adds to the earlier messages, of which the newest is the last. */
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

/** A text that agrees may say the same with this many new words, if they are no more than this share of all. */
const fewWords = 1;
const smallShare = 0.4;

/** Whether the text surely adds nothing: its words are not new, and nobody waits for an answer. */
export function addsNothing(text: string, earlier: readonly string[]): boolean {
  if (text.length > longestRead || earlier.length === 0 || awaits(earlier.at(-1) ?? '') || /```|https?:/u.test(text)) return false;
  if (isFiller(text)) return true;
  const added = novelty(text, earlier);
  const plain = foldText(text);
  if (added.facts > 0 || added.asks || contrasts.test(plain)) return false;
  return added.words === 0 || (added.words <= fewWords && added.share <= smallShare && wordsOf(plain).some((word) => echoes.has(word)));
}

/**
 * Whether the text is idle enough to be refused: it adds nothing, and asks nobody to do anything. "Set it there, too" has no new word,
 * and still moves the work on. So do a proposed wording, a report that something is so now, and the same "passes" about another thing.
 */
export function isIdle(text: string, earlier: readonly string[]): boolean {
  if (isEcho(text, earlier.at(-1) ?? '')) return true;
  if (!addsNothing(text, earlier) || /["“”„«»「」『』]/u.test(text)) return false;
  const plain = foldText(text);
  if (commands(plain) || /(?<!\p{L})n['’]\p{L}/u.test(plain) || changed.test(plain)) return false;
  return addsNothing(text, earlier.slice(-1)) || !brings(earlier);
}

/** Whether the text repeats the last question word for word. */
const isEcho = (text: string, said: string): boolean => /[?？¿]/u.test(said) && echoForm(text) === echoForm(said);
const echoForm = (text: string): string =>
  foldedStart(text)
    .replaceAll(/[^\p{L}\p{N}?]+/gu, ' ')
    .trim();

const changed = /(?<!\p{L})(?:now|jetzt|nun|maintenant|ahora|şimdi|artık)(?!\p{L})|今は/u;

/** Whether the last message added something. Then an old word in the answer may be about something new. */
function brings(earlier: readonly string[]): boolean {
  const { words, facts } = novelty(earlier.at(-1) ?? '', earlier.slice(0, -1));
  return words + facts > 0;
}

const courtesy = /(?<!\p{L})(?:please|bitte|lütfen|por favor|s'il)(?!\p{L})/u;
const commands = (plain: string): boolean => !isJapanese(plain) && (courtesy.test(plain) || clausesOf(plain).some(commandsIn));

/** Whether the message is a question or a request. After one, even "done" is new. */
function awaits(said: string): boolean {
  if (/[?？¿]/u.test(said)) return true;
  const plain = endsOf(foldText(endsOf(said, longestRead)), longestRead);
  return isJapanese(plain) ? asksInJapanese(plain) : commands(plain);
}

/** But, except, not yet, only: these words contradict the message before. */
const contrasts =
  /(?<!\p{L})(?:but|except|however|though|unless|not|no|never|only|already|instead|wrong|nope|nein|nicht|aber|außer|nur|sondern|kein|keine|bereits|non|pas|mais|sauf|seulement|déjà|plutôt|pero|salvo|solo|sino|ama|fakat|yalnız|hayır|değil|sakın|birinci|sadece)(?!\p{L})|でも|ただし|だけ|しか|だめ|ですが|もです|(?:ました|ません)[。!\s]*$/u;

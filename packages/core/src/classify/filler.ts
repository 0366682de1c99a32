// Finds texts that ask for nothing (C2A-14, C2A-18): "thanks", "got it", "nice", "👍". The list is exact: a text with anything else in it
// counts as a request.

import { joints, phrases, softeners } from './words/filler.ts';
import { isPlain } from '../text/spoken-text.ts';

/** Signs between words, with the opening exclamation mark of Spanish. */
const between = /[\s!¡.,;:…·~*_()"“”—–。、-]+/u;
/** The phrases are cut as a text is, or "week-end" would never match. */
const cut = phrases.map((phrase) => phrase.split(between));
const lexicon: ReadonlySet<string> = new Set(cut.map((words) => words.join(' ')));
/** The length in words of the longest phrase that begins with a word. */
const longest = new Map<string, number>();
for (const [first = '', ...rest] of cut) longest.set(first, Math.max(longest.get(first) ?? 0, 1 + rest.length));
const soft: ReadonlySet<string> = new Set(softeners);
const joining: ReadonlySet<string> = new Set(joints);
/** A longer text says more than thanks. */
const longestText = 200;

const emoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|\u20E3)+/gu;
/** Faces and hands that say no, stop, or that something is wrong, and signs that are no smile at all, are no filler: 👎, 🛑, 🆘, 👀. */
const smiling =
  /^[\u{1F600}-\u{1F60F}\u{1F617}-\u{1F61D}\u{1F638}-\u{1F63D}\u{1F642}\u{1F643}\u{1F646}-\u{1F64C}\u{1F64F}☺🤗🤣🥰🤩🥳🤪🤭🤓🤠🥹🫠🥲🤝🫡🫶🫂👏👍👌🤙👊🤘🤞✌💪🦾👋🙇🎉🎊✨🎈🎂🥂🍻🍾🏆🥇🏅👑🐐🦄🌈🍀🌞☀🌙⭐🌟💫🚀🔥💯☕🍰🍪🌹💐🌸❤🧡💛💚💙💜🤎🖤🤍🩷💕💖💗💘💓💞💝💟❣😄-😆♂♀]+$/u;
/** Signs that change the look of the sign before them. */
const joined = /\p{Emoji_Modifier}|\u200D|\uFE0F/gu;
const emoticon = /(?<![\p{L}\p{N}])(?:[:;=]-?[)(DPp/|]|<3|xd)(?![\p{L}\p{N}])/giu;

/** Whether the text is nothing but filler. Without words it needs a smile: `^ORAC!` and `^ORAC` alone call the agent. */
export function isFiller(text: string): boolean {
  if (text.length > longestText) return false;
  // A question mark always asks something.
  if (/[?？¿؟❓❔⁉⁈⁇]/u.test(text)) return false;
  const plain = isPlain(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
  const signless = withoutEmoji(plain);
  if (signless === undefined) return false;
  const spoken = /[:;=<]|xd/.test(signless) ? signless.replaceAll(emoticon, ' ') : signless;
  const first = /[^\s!¡.,;:…·~*_()"“”—–。、-]+/u.exec(spoken)?.[0];
  // Most messages end here, because their first word begins no phrase.
  if (first !== undefined && !soft.has(first) && !begins(first)) return false;
  const words = spoken.split(between).filter((word) => word !== '');
  let said = spoken !== plain;
  for (let at = 0; at < words.length;) {
    const length = phraseAt(words, at);
    said ||= length > 0;
    if (length > 0) at += length;
    // A joining word counts only between phrases: after "thanks and" something else follows.
    else if (soft.has(words[at]!) || (joining.has(words[at]!) && at > 0 && at < words.length - 1)) at++;
    else return false;
  }
  return said;
}

/** Undefined if an emoji is no smile. */
function withoutEmoji(plain: string): string | undefined {
  if (isPlain(plain)) return plain;
  if ((plain.match(emoji) ?? []).some((signs) => !smiling.test(signs.replaceAll(joined, '')))) return undefined;
  return plain.replaceAll(emoji, ' ');
}

const begins = (word: string): boolean => longest.has(word) || spellings(word).some((spelling) => longest.has(spelling));

function phraseAt(words: string[], at: number): number {
  const most = Math.max(...spellings(words[at]!).map((first) => longest.get(first) ?? 0));
  for (let length = Math.min(most, words.length - at); length > 0; length--) {
    const said = words.slice(at, at + length).join(' ');
    if (spellings(said).some((spelling) => lexicon.has(spelling))) return length;
  }
  return 0;
}

/** A letter that is drawn out stands for one or two: `thaaaanks` is "thanks", and `sweeeet` is "sweet". */
const spellings = (said: string): string[] =>
  /(.)\1\1/u.test(said) ? [said, said.replaceAll(/(.)\1{2,}/gu, '$1'), said.replaceAll(/(.)\1{2,}/gu, '$1$1')] : [said];

// Words that ask for nothing (C2A-14, C2A-18): "thanks", "got it", "nice", "👍". By an exact list, never by guessing:
// what holds anything besides these is taken for a request.

import { joints, phrases, softeners } from './words/filler.ts';
import { isPlain } from '../text/spoken-text.ts';

/** What stands between words; an opening exclamation mark of Spanish, too. */
const between = /[\s!¡.,;:…·~*_()"“”—–。、-]+/u;
/** Cut as a text is, or "week-end" would never be met. */
const cut = phrases.map((phrase) => phrase.split(between));
const lexicon: ReadonlySet<string> = new Set(cut.map((words) => words.join(' ')));
/** How long a phrase may be that begins with this word. */
const longest = new Map<string, number>();
for (const [first = '', ...rest] of cut) longest.set(first, Math.max(longest.get(first) ?? 0, 1 + rest.length));
const soft: ReadonlySet<string> = new Set(softeners);
const joining: ReadonlySet<string> = new Set(joints);
/** Beyond this nobody only says thanks. */
const longestText = 200;

const emoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|\u20E3)+/gu;
/** Faces and hands that say no, stop, or that something is wrong, and signs that are no smile at all, are no filler: 👎, 🛑, 🆘, 👀. */
const smiling =
  /^[\u{1F600}-\u{1F60F}\u{1F617}-\u{1F61D}\u{1F638}-\u{1F63D}\u{1F642}\u{1F643}\u{1F646}-\u{1F64C}\u{1F64F}☺🤗🤣🥰🤩🥳🤪🤭🤓🤠🥹🫠🥲🤝🫡🫶🫂👏👍👌🤙👊🤘🤞✌💪🦾👋🙇🎉🎊✨🎈🎂🥂🍻🍾🏆🥇🏅👑🐐🦄🌈🍀🌞☀🌙⭐🌟💫🚀🔥💯☕🍰🍪🌹💐🌸❤🧡💛💚💙💜🤎🖤🤍🩷💕💖💗💘💓💞💝💟❣😄-😆♂♀]+$/u;
/** What changes the look of the sign before it. */
const joined = /\p{Emoji_Modifier}|\u200D|\uFE0F/gu;
const emoticon = /(?<![\p{L}\p{N}])(?:[:;=]-?[)(DPp/|]|<3|xd)(?![\p{L}\p{N}])/giu;

/** Nothing but filler. Without a word it is filler only if it smiles: `^ORAC!` and `^ORAC` alone call. */
export function isFiller(text: string): boolean {
  if (text.length > longestText) return false;
  // A question mark asks, whatever stands before it.
  if (/[?？¿؟❓❔⁉⁈⁇]/u.test(text)) return false;
  const plain = isPlain(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
  const signless = withoutEmoji(plain);
  if (signless === undefined) return false;
  const spoken = /[:;=<]|xd/.test(signless) ? signless.replaceAll(emoticon, ' ') : signless;
  const first = /[^\s!¡.,;:…·~*_()"“”—–。、-]+/u.exec(spoken)?.[0];
  // So it is with most messages.
  if (first !== undefined && !soft.has(first) && !begins(first)) return false;
  const words = spoken.split(between).filter((word) => word !== '');
  let said = spoken !== plain;
  for (let at = 0; at < words.length;) {
    const length = phraseAt(words, at);
    said ||= length > 0;
    if (length > 0) at += length;
    // "thanks and" goes on, with something that has not been said yet.
    else if (soft.has(words[at]!) || (joining.has(words[at]!) && at > 0 && at < words.length - 1)) at++;
    else return false;
  }
  return said;
}

/** Undefined: not all of them smile. */
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

/** `thaaaanks` and `sweeeet`: who draws a letter out means it once, or twice where it is written twice. */
const spellings = (said: string): string[] =>
  /(.)\1\1/u.test(said) ? [said, said.replaceAll(/(.)\1{2,}/gu, '$1'), said.replaceAll(/(.)\1{2,}/gu, '$1$1')] : [said];

// Words that ask for nothing (C2A-14, C2A-18): "thanks", "got it", "nice", "👍". By an exact list, never by guessing:
// what holds anything besides these is taken for a request.

// What can be the answer to a question (yes, sure, agreed) is not among them, nor what can be asked for (copy that,
// again, welcome @bob).
// prettier-ignore
const phrases = [
  'thanks', 'thank you', 'thank you so much', 'thank you very much', 'thanks a lot', 'thanks a bunch', 'thanks so much', 'many thanks',
  'thanks again', 'thank you again', 'thx again', 'ty again',
  'thx', 'thnx', 'tnx', 'ty', 'tysm', 'tyvm', 'cheers', 'much appreciated', 'appreciated', 'appreciate it', 'i appreciate it',
  'ok', 'okay', 'okey', 'okie', 'k', 'kk', 'alright', 'all right', 'fair enough',
  'got it', 'gotcha', 'understood', 'noted', 'roger', 'roger that', 'ack', 'acknowledged', 'i see', 'makes sense',
  'nice', 'nice one', 'nice work', 'good job', 'good work', 'good stuff', 'well done', 'great', 'great job', 'great work', 'great stuff',
  'cool', 'awesome', 'excellent', 'perfect', 'brilliant', 'lovely', 'sweet', 'wonderful', 'amazing', 'super', 'fantastic', 'neat', 'love it',
  'sounds good', 'sounds great', 'looks good', 'looks great', 'no worries', 'no problem', 'np', 'you are welcome',
  "you're welcome", 'youre welcome', 'my pleasure', 'anytime', '+1',
  'lol', 'haha', 'hahaha', 'hehe', 'ha', 'wow', 'yay', 'hooray', 'woohoo', 'congrats', 'congratulations', 'well played', 'gg', 'bravo',
  'merci', 'danke', 'gracias', 'grazie', 'obrigado', 'obrigada', 'tack', 'arigato', 'ありがとう', '谢谢', '感謝', '고마워', 'спасибо',
] as const;

const lexicon: ReadonlySet<string> = new Set(phrases);
const longest = Math.max(...phrases.map((phrase) => phrase.split(' ').length));
/** Beyond this nobody only says thanks. */
const longestText = 200;

/** Words that soften filler without adding anything: "oh thanks so very much everyone". */
const softeners: ReadonlySet<string> = new Set([
  'everyone',
  'all',
  'team',
  'folks',
  'man',
  'mate',
  'so',
  'very',
  'much',
  'oh',
  'ah',
  'well',
]);

const emoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|\u20E3)+/gu;
const emoticon = /(?<![\p{L}\p{N}])(?:[:;=]-?[)(DPp/|]|<3|xd)(?![\p{L}\p{N}])/giu;

/** Nothing but filler. Without a word it is filler only if it smiles: `^ORAC!` and `^ORAC` alone call. */
export function isFiller(text: string): boolean {
  if (text.length > longestText) return false;
  // A question mark asks, whatever stands before it.
  if (/[?？¿؟❓❔⁉⁈⁇]/u.test(text)) return false;
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
  const spoken = plain.replaceAll(emoji, ' ').replaceAll(emoticon, ' ');
  const words = spoken.split(/[\s!.,;:…·~*_()"“”—–。、-]+/u).filter((word) => word !== '');
  let said = spoken !== plain;
  for (let at = 0; at < words.length;) {
    const length = phraseAt(words, at);
    said ||= length > 0;
    if (length > 0) at += length;
    // "thanks and" goes on, with something that has not been said yet.
    else if (softeners.has(words[at]!) || (words[at] === 'and' && at > 0 && at < words.length - 1)) at++;
    else return false;
  }
  return said;
}

function phraseAt(words: string[], at: number): number {
  for (let length = Math.min(longest, words.length - at); length > 0; length--) {
    if (lexicon.has(words.slice(at, at + length).join(' '))) return length;
  }
  return 0;
}

// A summary that makes nothing up: the sentences that say most, in their own words and order.

import { shortenText } from '@parley/core';
import type { Message } from '@parley/protocol';

const stop = new Set(
  'a an and are as at be been but by can could did do does for from had has have he her his i if in is it its just me my no not of on or our she so than that the their them then there they this to was we were what when which who will with would you your'.split(
    ' ',
  ),
);

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2 && !stop.has(word));

interface Sentence {
  author: string | null;
  text: string;
  at: number;
  score: number;
}

/** At most `count` sentences, of different messages where there are enough. */
export function summarise(messages: readonly Message[], count: number): { authorId: string | null; text: string }[] {
  const readable = messages.filter((message) => message.body !== null && message.task === null);
  const weight = new Map<string, number>();
  for (const message of readable) for (const word of new Set(wordsOf(message.body!))) weight.set(word, (weight.get(word) ?? 0) + 1);
  const sentences = readable.map((message, at): Sentence => {
    const best = message
      .body!.split(/(?<=[.!?])\s+|\n+/)
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .map((text) => ({ text, score: scoreOf(wordsOf(text), weight) }))
      .reduce((a, b) => (b.score > a.score ? b : a), { text: '', score: 0 });
    return { author: message.authorId, at, ...best };
  });
  return sentences
    .filter((sentence) => sentence.score > 0)
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, count)
    .toSorted((a, b) => a.at - b.at)
    .map(({ author, text }) => ({ authorId: author, text: shortenText(text, 200) }));
}

/** Words that come up again weigh more; a long sentence is not better for being long. */
const scoreOf = (words: string[], weight: ReadonlyMap<string, number>): number =>
  words.length === 0 ? 0 : words.reduce((sum, word) => sum + (weight.get(word) ?? 0), 0) / Math.sqrt(words.length);

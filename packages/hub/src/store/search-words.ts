// Both engines index the same words, cut here: their own tokenisers differ, and a search must not find different messages
// on a laptop than in production. Case and accents are folded; each Han, kana or hangul sign is a word. A sign that is
// neither letter nor number is none, of these scripts either: SQLite's would not index it.

const wordPattern =
  /[[\p{L}\p{N}]&&[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]]+/gv;

/** Of a sign that was cut in two. */
const half = /\p{Cs}$/u;

const asciiOnly = /^[\0-\x7f]*$/;

export function wordsOf(text: string): string[] {
  // Most text has nothing to fold but its case, and costs a quarter this way.
  const plain = asciiOnly.test(text);
  const folded = plain ? text.toLowerCase() : text.normalize('NFKD').replaceAll(/\p{M}/gu, '').normalize('NFC').toLowerCase();
  const words = new Set<string>();
  // A word longer than this is a hash or a blob; nobody searches for its middle.
  for (const word of folded.match(plain ? /[a-z0-9]+/g : wordPattern) ?? []) words.add(word.slice(0, 64).replace(half, ''));
  return [...words];
}

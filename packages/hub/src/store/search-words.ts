// Search in messages, as far as it is the same on both engines.
//
// Both index the same words, cut here: their own tokenisers differ, and a search must not find different messages on a laptop
// than in production. Case and accents are folded; each Han, kana or hangul sign is a word. A sign that is
// neither letter nor number is none, of these scripts either: SQLite's would not index it.

import type { Reader, SearchAsk, SearchHit } from './port.ts';
import { searchedIn } from './reads/conversations.ts';

const wordPattern =
  /[[\p{L}\p{N}]&&[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]]+/gv;

/** Half of a surrogate pair, left by a cut. */
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

/** The facts up to here are indexed. */
export async function searchPosition(reader: Reader): Promise<number> {
  const [row] = await reader.all<{ value: string }>("select value from meta where key = 'search'");
  return Number(row?.value ?? 0);
}

/** The parts of SQL in which the engines' indexes `s` differ. */
interface Matching {
  /** The place of the message. */
  seq: string;
  matches: string;
  /** Words hold letters and digits only, so quoting them is enough. The last may still be being typed. */
  term: (word: string, isLast: boolean) => string;
  and: string;
}

export async function findMessages(
  reader: Reader,
  { text, where, authorId, before = Number.MAX_SAFE_INTEGER, limit }: SearchAsk,
  { seq, matches, term, and }: Matching,
): Promise<SearchHit[]> {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const match = words.map((word, i) => term(word, i === words.length - 1)).join(and);
  const searched = searchedIn(where);
  return reader.all<SearchHit>(
    `select m.id as "messageId", m.conversation_id as "conversationId", m.seq as seq from search_index s join messages m on m.seq = ${seq}
     where ${matches} and ${searched.sql}${authorId === undefined ? '' : ' and m.author_id = ?'} and m.deleted_at is null and ${seq} < ?
     order by ${seq} desc limit ?`,
    [match, ...searched.params, ...(authorId === undefined ? [] : [authorId]), before, limit],
  );
}

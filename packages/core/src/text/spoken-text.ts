// The words of a message's author, without code, quotations and links, in one spelling. Classifiers read only these, so that the words of
// a log, a title or somebody else ask for nothing.

import { rememberLast } from './remember-last.ts';
import { hiddenSpans } from './markdown.ts';

/** No classifier reads more than this. Each states how it decides about a longer text. */
export const longestRead = 4_000;
/** Replaces code, a quotation or a link, so that the sentence around it keeps its shape. */
const shown = '▯';
/** A quotation within a line. It has no second opening mark in it, so that marks without a partner are read only once. */
const quotation =
  /"[^"\n]{0,300}"|“[^“”\n]{0,300}”|„[^„“”\n]{0,300}[“”]|«[^«»\n]{0,300}»|‹[^‹›\n]{0,300}›|「[^「」\n]{0,300}」|『[^『』\n]{0,300}』/gu;
const invisible = /\u200D|\uFE0F|[\u00AD\u200B\u200C\u200E\u200F\u2060-\u2064\uFEFF]/gu;

/** Whether the text has only ASCII signs and `▯`. */
export const isPlain = (text: string): boolean => /^[ -~\n▯]*$/.test(text);

/** Folded: compatibility forms, lower case, plain apostrophes, nothing invisible. */
export function foldText(text: string): string {
  // Most messages are plain, and the steps below would not change them.
  if (isPlain(text)) return text.toLowerCase().replaceAll('`', "'");
  return text
    .normalize('NFKC')
    .replaceAll(invisible, '')
    .replaceAll('İ', 'i')
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'");
}

/** Cached, because several classifiers read each message, and some read each clause again. */
let lastWords: { said: string; words: readonly string[] } = { said: '', words: [] };

/** The beginning and the end of a text that is too long. */
export const endsOf = (said: string, most: number): string =>
  said.length <= most ? said : `${said.slice(0, most / 2)}\n${said.slice(-most / 2)}`;

/** The author's own words, folded; only the ends of a very long text. */
export const spokenText = rememberLast(asSpoken);

function asSpoken(text: string): string {
  let said = '';
  let at = 0;
  for (const { start, end } of hiddenSpans(text)) {
    said += `${text.slice(at, start)} ${shown} `;
    at = end;
  }
  said = endsOf(said + text.slice(at), 5 * longestRead);
  if (isPlain(said)) return foldText(said.includes('"') ? said.replaceAll(quotation, ` ${shown} `) : said);
  return foldText(said.replaceAll(invisible, '').replaceAll(quotation, ` ${shown} `));
}

/** Splits by full stops, marks and line ends. A point inside a number or a name ends nothing; a question mark stays with its sentence. */
export function sentencesOf(said: string): string[] {
  return trimmed(said.split(/(?<=[?？])|(?<![.!。])[.!。]+(?=[\s)]|$)|[。！]|!+|\.{3}|\n/u));
}

/** Splits sentences at commas, colons, dashes and brackets too. A colon stays with the clause before it. */
export function clausesOf(said: string): string[] {
  if (!isPlain(said)) return trimmed(said.split(clauseEnd));
  return plainClauseSign.test(said) ? trimmed(said.split(plainClauseEnd)) : trimmed([said]);
}

/** The first clause of a plain text; empty if nothing stands before the first sign. */
export function firstClauseOf(said: string): string {
  const end = plainClauseSign.test(said) ? said.search(plainClauseEnd) : -1;
  return trimmed([end === -1 ? said : said.slice(0, end)])[0] ?? '';
}

const clauseEnd =
  /(?<=[?？])|(?<![.!])[.!]+(?=[\s)]|$)|(?<=:)(?=\s|$|[\p{Script=Katakana}\p{Script=Han}])|[。！、；]|!+|\.{3}|\n|[,;](?=\s|$)|\s[-–—|]+\s|—|->|<-|[←→()<>]/u;
/** The same for a plain text, and the signs of which it needs one. */
const plainClauseEnd = /(?<=\?)|(?<![.!])[.!]+(?=[\s)]|$)|(?<=:)(?=\s|$)|!+|\.{3}|\n|[,;](?=\s|$)|\s[-|]+\s|->|<-|[()<>]/;
const plainClauseSign = /[?.!:\n,;|()<>-]/;

const trimmed = (parts: string[]): string[] =>
  parts.map((part) => part.trim()).filter((part) => /[a-z0-9?]/.test(part) || /[\p{L}\p{N}]/u.test(part));

/** Words and names. Parts joined by hyphens, dots or slashes are one word. */
export function wordsOf(said: string): readonly string[] {
  if (lastWords.said !== said) lastWords = { said, words: asWords(said) };
  return lastWords.words;
}

const word = /[\p{L}\p{N}_#$^@/][\p{L}\p{N}\p{M}_'./@#:+&-]*/gu;
/** The same for a plain text, folded. */
const plainWord = /[a-z0-9_#$^@/][a-z0-9_'./@#:+&-]*/g;

/** This runs for every word, and is quicker than a pattern. */
const endsInSign = (one: string): boolean => "'./:-".includes(one[one.length - 1]!);

function asWords(said: string): string[] {
  const words = said.match(isPlain(said) ? plainWord : word) ?? [];
  return words.map((one) => (endsInSign(one) ? one.replace(/['./:-]+$/u, '') : one));
}

/** Cached by handle, because the same few agents are called again and again. */
const callings = new Map<string, RegExp>();
const mostCallings = 1_000;

function calling(handle: string): RegExp {
  let found = callings.get(handle);
  if (!found) {
    found = new RegExp(`[\\^@]${handle.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, '')}(?![\\p{L}\\p{N}_-])`, 'gu');
    if (callings.size >= mostCallings) callings.clear();
    callings.set(handle, found);
  }
  return found;
}

/** One address, or several in a row. */
const called = /(?:[\^@][\p{L}\p{N}_-]+[\s,&]*)+/gu;

/** Whether the text addresses the handle, at its beginning or end, and does not only mention it. */
export function isSpokenTo(said: string, handle: string): boolean {
  const name = calling(handle);
  name.lastIndex = 0;
  for (let found = name.exec(said); found; found = name.exec(said))
    if (speaksTo(said.slice(0, found.index), said.slice(found.index + found[0].length))) return true;
  return false;
}

function speaksTo(ahead: string, after: string): boolean {
  if (/^(?:\s*(?:[がをに]|は(?!い)|も(?!う))|'s(?!\p{L})|さん[はがをもに])/u.test(after)) return false;
  const before = ahead === '' ? '' : ahead.replace(/(?:[\^@][\p{L}\p{N}_-]+[\s,&]*)+$/u, '');
  return /(?:^|[,.!?:;、。▯\n])\s*(?:(?:hey|hi|ok|okay|so|please|danke|merci|gracias) *)?$/u.test(before) || /^[\s.!。?]*$/u.test(after);
}

/** The part of the text for this agent, without its name and emoji. If several are addressed in turn, it is the part after its name. */
export function saidTo(said: string, handle: string): string {
  const isIts = (names: string): boolean => names.search(calling(handle)) !== -1;
  const calls = [...said.matchAll(called)].filter(({ 0: names, index }) => {
    return isIts(names) || /(?:^|[,.!?;:\n])\s*$/u.test(said.slice(0, index));
  });
  const at = calls.findIndex(([names]) => isIts(names));
  const own = calls[at];
  if (own === undefined) return said;
  const behind = said.slice(own.index + own[0].length, calls[at + 1]?.index);
  const part = calls.length > 1 ? behind : `${said.slice(0, own.index)} ${behind}`;
  const nameless = part.replaceAll(called, ' ▯ ');
  return (isPlain(nameless) ? nameless : nameless.replaceAll(/[\p{Extended_Pictographic}\p{Emoji_Modifier}]/gu, ' ')).replaceAll(
    /^[\s,:;]+|[\s,:;]+$/gu,
    '',
  );
}

// What a message says itself: without code, quotations and links, in one spelling. A classifier of text reads only this,
// so that the words of a log, a title or somebody else ask for nothing.

import { rememberLast } from './remember-last.ts';
import { hiddenSpans } from './markdown.ts';

/** Beyond this no classifier looks: what is longer is never sure, and each says which way it then decides. */
export const longestRead = 4_000;
/** Stands for something shown, so that the sentence round it keeps its shape. */
const shown = '▯';
/** A quotation within a line. It holds no mark like the one that opens it, so that marks without a partner are read once. */
const quotation =
  /"[^"\n]{0,300}"|“[^“”\n]{0,300}”|„[^„“”\n]{0,300}[“”]|«[^«»\n]{0,300}»|‹[^‹›\n]{0,300}›|「[^「」\n]{0,300}」|『[^『』\n]{0,300}』/gu;
const invisible = /\u200D|\uFE0F|[\u00AD\u200B\u200C\u200E\u200F\u2060-\u2064\uFEFF]/gu;

/** Of plain letters, digits and signs only, and of what stands for something shown. */
export const isPlain = (text: string): boolean => /^[ -~\n▯]*$/.test(text);

/** Folded: compatibility forms, lower case, plain apostrophes, nothing invisible. */
export function foldText(text: string): string {
  // As most messages are, and nothing else of this changes them.
  if (isPlain(text)) return text.toLowerCase().replaceAll('`', "'");
  return text
    .normalize('NFKC')
    .replaceAll(invisible, '')
    .replaceAll('İ', 'i')
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'");
}

/** What was asked for last: of one message each classifier asks, and some again for each clause. */
let lastWords: { said: string; words: readonly string[] } = { said: '', words: [] };

/** The beginning and the end of what is too long. */
export const endsOf = (said: string, most: number): string =>
  said.length <= most ? said : `${said.slice(0, most / 2)}\n${said.slice(-most / 2)}`;

/** The text as it is said, folded; of a very long one, its ends. */
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

/** By full stops, marks and line ends. A point inside a number or a name ends nothing; a question mark stays with its sentence. */
export function sentencesOf(said: string): string[] {
  return trimmed(said.split(/(?<=[?？])|(?<![.!。])[.!。]+(?=[\s)]|$)|[。！]|!+|\.{3}|\n/u));
}

/** Sentences by their commas, colons, dashes and brackets too. A colon stays with what it introduces by. */
export function clausesOf(said: string): string[] {
  if (!isPlain(said)) return trimmed(said.split(clauseEnd));
  return plainClauseSign.test(said) ? trimmed(said.split(plainClauseEnd)) : trimmed([said]);
}

/** Of a text of plain letters; empty: there is nothing before the first sign. */
export function firstClauseOf(said: string): string {
  const end = plainClauseSign.test(said) ? said.search(plainClauseEnd) : -1;
  return trimmed([end === -1 ? said : said.slice(0, end)])[0] ?? '';
}

const clauseEnd =
  /(?<=[?？])|(?<![.!])[.!]+(?=[\s)]|$)|(?<=:)(?=\s|$|[\p{Script=Katakana}\p{Script=Han}])|[。！、；]|!+|\.{3}|\n|[,;](?=\s|$)|\s[-–—|]+\s|—|->|<-|[←→()<>]/u;
/** The same in a text of plain letters, and the signs of which it takes one. */
const plainClauseEnd = /(?<=\?)|(?<![.!])[.!]+(?=[\s)]|$)|(?<=:)(?=\s|$)|!+|\.{3}|\n|[,;](?=\s|$)|\s[-|]+\s|->|<-|[()<>]/;
const plainClauseSign = /[?.!:\n,;|()<>-]/;

const trimmed = (parts: string[]): string[] =>
  parts.map((part) => part.trim()).filter((part) => /[a-z0-9?]/.test(part) || /[\p{L}\p{N}]/u.test(part));

/** Words and names: what is written together with hyphens, dots or slashes is one. */
export function wordsOf(said: string): readonly string[] {
  if (lastWords.said !== said) lastWords = { said, words: asWords(said) };
  return lastWords.words;
}

const word = /[\p{L}\p{N}_#$^@/][\p{L}\p{N}\p{M}_'./@#:+&-]*/gu;
/** The same in a text of plain letters, folded. */
const plainWord = /[a-z0-9_#$^@/][a-z0-9_'./@#:+&-]*/g;

/** Asked of every word: quicker than a pattern. */
const endsInSign = (one: string): boolean => "'./:-".includes(one[one.length - 1]!);

function asWords(said: string): string[] {
  const words = said.match(isPlain(said) ? plainWord : word) ?? [];
  return words.map((one) => (endsInSign(one) ? one.replace(/['./:-]+$/u, '') : one));
}

/** Made once for each handle, as the same few are called again and again; not kept for ever more of them. */
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

/** Names in a row. */
const called = /(?:[\^@][\p{L}\p{N}_-]+[\s,&]*)+/gu;

/** The handle is where one addresses somebody, at the beginning or the end, and not in the middle of a narration. */
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

/** What is said to them, without their name and without emoji: of several who are spoken to in turn, what follows it. */
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

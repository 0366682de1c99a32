// A question or request to whoever is there (C2A-12). Unsure is a request: it is one unless every sentence of it is plainly
// told, closed, reported, or said for effect. Whom it names has been looked at before (attention.ts, line 7).

import { addresses, asksInJapanese, commandsIn, holdsQuestionWord, isJapanese, opened } from './asking.ts';
import * as table from './question-words.ts';
import { clausesOf, longestRead, sentencesOf, spoken, wordsOf } from './spoken.ts';

const subjects: ReadonlySet<string> = new Set(table.subjects);
const determiners: ReadonlySet<string> = new Set(table.determiners);

/** A question or request, or nothing by which to tell that it is none. What is too long to read may ask anything. */
export function isQuestion(text: string): boolean {
  if (text.length > longestRead) return true;
  const said = spoken(text).replaceAll(/\p{Extended_Pictographic}(?<![❓❔⁉])/gu, ' ');
  const sentences = sentencesOf(said);
  return sentences.some((sentence, at) => !isTold(sentence, sentences[at + 1]));
}

function isTold(sentence: string, next: string | undefined): boolean {
  if (/[❓❔⁉⁈⁇]/u.test(sentence)) return false;
  const isReported = table.reported.test(sentence);
  const isAside =
    table.rhetorical.test(sentence) || (next !== undefined && table.answered.test(next)) || table.reportedColon.test(sentence);
  if (sentence.includes('?')) return isAside;
  if (isJapanese(sentence))
    return isAside || (isReported && !/(?:て|で|ください|下さい|お願いします|か)$/u.test(sentence)) || isToldInJapanese(sentence);
  const clauses = clausesOf(sentence);
  if (clauses.some((clause) => addresses(clause))) return false;
  if (isAside || table.closing.test(sentence)) return true;
  if (clauses.some((clause) => commandsIn(clause)) || table.wants.some((want) => sentence.includes(want))) return false;
  if (table.embedded.test(sentence)) return true;
  if (!isReported && clauses.some((clause) => holdsQuestionWord(clause))) return false;
  return isReported || table.answered.test(sentence) || hasSubject(sentence) || isToldInTurkish(sentence);
}

/** Spanish leaves its subject out: "lo miro". */
const doneByMe = /^(?:lo|ya|ayer|al final) (?:lo )?\p{L}+[oéí](?!\p{L})/u;

function hasSubject(sentence: string): boolean {
  const [first = ''] = opened(sentence);
  if (subjects.has(first) || first.startsWith("j'") || doneByMe.test(sentence)) return true;
  return (determiners.has(first) || first.startsWith("l'") || sentence.startsWith('▯')) && table.tellingVerb.test(sentence);
}

/** The ending is looked for in so many letters of the last word. */
const longestEnding = 12;

function isToldInTurkish(sentence: string): boolean {
  return /[çğışöü]/u.test(sentence) && table.turkishEnd.test((wordsOf(sentence).at(-1) ?? '').slice(-longestEnding));
}

function isToldInJapanese(sentence: string): boolean {
  if (table.closing.test(sentence)) return true;
  if (table.wants.some((want) => sentence.includes(want))) return false;
  return table.japaneseEnd.test(sentence) && (!asksInJapanese(sentence) || sentence.endsWith('かもしれない'));
}

// A question or request to anyone who is there (C2A-12). Nobody is addressed by it, so a doubtful one is none: some
// sentence has to ask in so many words, and must not be narrated, closed, reported, or said for effect. Names are read
// before (attention.ts, line 7).

import {
  addressesSomebody,
  asksInJapanese,
  commandsIn,
  holdsQuestionWord,
  isJapanese,
  mayCommand,
  afterOpeners,
  opensQuestion,
} from './asking.ts';
import { isFiller } from './filler.ts';
import * as table from './words/statement.ts';
import { clausesOf, endsOf, longestRead, sentencesOf, spokenText, wordsOf } from '../text/spoken-text.ts';

const subjects: ReadonlySet<string> = new Set(table.subjects);
const determiners: ReadonlySet<string> = new Set(table.determiners);

/** Of what is too long the beginning and the end are read: there a question stands. */
export function isQuestion(text: string): boolean {
  const said = endsOf(spokenText(text), longestRead).replaceAll(/\p{Extended_Pictographic}(?<![❓❔⁉])/gu, ' ');
  const sentences = sentencesOf(said);
  return sentences.some((sentence, at) => asksInWords(sentence) && !isTold(sentence, sentences[at + 1]));
}

/** A question mark, a word that asks, somebody spoken to, a command, or something that is lacking. */
function asksInWords(sentence: string): boolean {
  if (/[?❓❔⁉⁈⁇]/u.test(sentence)) return true;
  if (table.remarks.test(sentence)) return false;
  if (table.revisions.test(sentence) || (isJapanese(sentence) && asksInJapanese(sentence))) return true;
  const asks = (clause: string): boolean =>
    addressesSomebody(clause) || commandsIn(clause) || holdsQuestionWord(clause) || opensQuestion(clause) || mayCommand(clause);
  return clausesOf(sentence).some(asks) || wantsSomething(sentence);
}

const wantsSomething = (sentence: string): boolean => table.wants.some((want) => sentence.includes(want));
const lacksSomething = (sentence: string): boolean => wantsSomething(sentence) || table.faults.some((fault) => sentence.includes(fault));

function isTold(sentence: string, next: string | undefined): boolean {
  if (/[❓❔⁉⁈⁇]/u.test(sentence)) return false;
  const aside = isAside(sentence, next);
  if (sentence.includes('?')) return aside;
  return isJapanese(sentence) ? aside || isToldInJapanese(sentence) : isToldInClauses(sentence, aside);
}

/** Put like a question and none: its author answers it, says it for effect, or tells of somebody else's. */
export const isAside = (sentence: string, next: string | undefined): boolean =>
  isAnswered(sentence, next) || fits(sentence, table.rhetorical, table.commonSayings, table.reportedColon);

const fits = (sentence: string, ...patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(sentence));

function isToldInClauses(sentence: string, aside: boolean): boolean {
  if (fits(sentence, table.shrug, table.thinkingAloud) || isFiller(sentence)) return true;
  if (sentence.startsWith(',') && table.saidBy.test(sentence)) return true;
  const clauses = clausesOf(sentence);
  if (clauses.some((clause) => addressesSomebody(clause))) return false;
  if (aside || table.closing.test(sentence)) return true;
  if (clauses.some((clause) => commandsIn(clause)) || lacksSomething(sentence)) return false;
  if (fits(sentence, table.embeddedQuestion, table.continuesClause, table.reportedQuestion)) return true;
  if (clauses.some((clause) => holdsQuestionWord(clause))) return false;
  return fits(sentence, table.reason, table.selfAnswer) || hasSubject(sentence) || hasPlainVerb(sentence) || isToldInTurkish(clauses);
}

/** Its author answers it in the next sentence, or says there whose question it was. */
export const isAnswered = (question: string, next: string | undefined): boolean =>
  next !== undefined && (fits(next, table.selfAnswer, table.saidBy) || (table.reasonClause.test(next) && table.why.test(question)));

/** Spanish leaves its subject out: "lo miro". */
const doneByMe = /^(?:lo|ya|ayer|al final) (?:lo )?\p{L}+[oéí](?!\p{L})/u;

function hasSubject(sentence: string): boolean {
  const [first = ''] = afterOpeners(sentence);
  if (subjects.has(first) || first.startsWith("j'") || doneByMe.test(sentence)) return true;
  return (determiners.has(first) || first.startsWith("l'") || sentence.startsWith('▯')) && table.tellingVerb.test(sentence);
}

/** Behind so many words of its subject a verb is looked for. */
const longestSubject = 4;

function hasPlainVerb(sentence: string): boolean {
  if (mayCommand(sentence) || opensQuestion(sentence)) return false;
  return afterOpeners(sentence)
    .slice(1, longestSubject + 1)
    .some((word) => table.plainVerb.test(word));
}

/** The ending is looked for in so many letters of the last word. */
const longestEnding = 12;

function isToldInTurkish(clauses: readonly string[]): boolean {
  const ends = clauses.map((clause) => (wordsOf(clause).at(-1) ?? '').slice(-longestEnding));
  if (ends.some((end) => table.turkishFirst.test(end)) || clauses.some((clause) => /[ıiuü]yor(?:um|uz)(?!\p{L})/u.test(clause)))
    return true;
  return clauses.some((clause) => /[çğışöü]/u.test(clause)) && table.turkishEnd.test(ends.at(-1) ?? '');
}

function isToldInJapanese(sentence: string): boolean {
  if (fits(sentence, table.thinkingAloud, table.closing, table.shrug, table.embeddedQuestion)) return true;
  if (table.reportedQuestion.test(sentence) && !/(?:て|で|ください|下さい|お願いします|か)$/u.test(sentence)) return true;
  if (lacksSomething(sentence)) return false;
  return table.japaneseEnd.test(sentence) && (!asksInJapanese(sentence) || sentence.endsWith('かもしれない'));
}

// A question beyond doubt: what people say to each other in a thread wakes an agent only by one (C2A-12). A question mark asks,
// and so does the head of a clause: a question word or a verb before its subject. "You" in the middle of a sentence, a command
// and a remark ask nothing here; `isQuestion` reads those, where somebody is to decide on them.

import { afterOpeners, isJapanese } from './asking.ts';
import { isAnswered, isAside } from './question.ts';
import * as table from './words/clear-question.ts';
import * as statement from './words/statement.ts';
import { clausesOf, endsOf, longestRead, sentencesOf, spokenText } from '../text/spoken-text.ts';

/** Stands for an exclamation mark: what is exclaimed asks only with a verb first. */
const exclaimed = '‼';

export function isClearQuestion(text: string): boolean {
  const said = endsOf(spokenText(text), longestRead)
    .replaceAll(/\p{Extended_Pictographic}(?<![❓❔⁉])/gu, ' ')
    .replaceAll(/!+(?!\?)/g, ` ${exclaimed}. `);
  const sentences = sentencesOf(said);
  return sentences.some((sentence, at) => asksOutright(sentence, sentences[at + 1]));
}

function asksOutright(sentence: string, next: string | undefined): boolean {
  if (/[❓❔⁉]/u.test(sentence)) return true;
  if (sentence.includes('?')) return !isToldWithMark(sentence, next);
  if (isAside(sentence, next) || fits(sentence, [statement.thinkingAloud, statement.embeddedQuestion])) return false;
  if (statement.reportedQuestion.test(sentence) && !table.asksOfReport.test(sentence)) return false;
  if (isJapanese(sentence)) return isJapaneseQuestion(sentence);
  const clauses = clausesOf(sentence);
  if (clauses.length === 1 && table.alone.test(afterOpeners(sentence).join(' '))) return true;
  return clauses.some((clause, at) => headAsks(clause, at === 0, sentence.endsWith(exclaimed), clauses[at + 1]));
}

/** A question mark asks, unless its author answers it, or the clause that it ends is a saying and nothing more. */
function isToldWithMark(sentence: string, next: string | undefined): boolean {
  if (isAnswered(sentence, next) || statement.reportedColon.test(sentence)) return true;
  const said = afterOpeners(clausesOf(sentence).at(-1) ?? '').join(' ');
  return [statement.rhetorical, statement.commonSayings].some((pattern) => pattern.exec(said)?.[0] === said);
}

function isJapaneseQuestion(sentence: string): boolean {
  const said = sentence.replace(/[\s。、ーw笑〜~]+$/u, '');
  return table.japaneseEnd.test(said) && !table.notJapanese.test(said) && fits(said, table.japanese);
}

function headAsks(clause: string, isFirst: boolean, isExclaimed: boolean, next: string | undefined): boolean {
  const words = afterOpeners(clause);
  const said = words.join(' ');
  if (said === '' || table.likewise.test(clause)) return false;
  if (next !== undefined && table.condition.test(said)) return false;
  // Its subject is what is shown: "`x` is the line I changed".
  if (clause.startsWith('▯') && !startsWithWord.test(said)) return false;
  if (!isExclaimed && asksInWords(said, isFirst)) return true;
  const isTurned = table.turningWords.test(clause.slice(0, clause.length - said.length));
  return (
    (!isTurned && fits(said, table.german) && (next === undefined || !table.germanConclusion.test(next))) ||
    (fits(said, table.english) && !startsWithWord.test(said) && !table.notEnglish.test(said))
  );
}

/** By a question word. A German clause that does not begin the sentence may only depend on what went before. */
const asksInWords = (said: string, isFirst: boolean): boolean =>
  (isFirst && table.germanWord.test(said)) ||
  (fits(said, table.english) && !table.notEnglish.test(said)) ||
  (fits(said, table.french) && !table.notFrench.test(said)) ||
  (fits(said, table.spanish) && !table.notSpanish.test(said)) ||
  (fits(said, table.turkish) && !table.notTurkish.test(said));

const startsWithWord = /^(?:what|how|why|when|where|who|which)/u;

const fits = (said: string, patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(said));

// A status line or a log (C2A-14): it tells how things stand and asks nothing. Unsure is no status: each clause has to look
// like one by itself, and one clause that asks, doubts or tells somebody to do something is enough against all others.

import {
  addressesSomebody,
  asksInJapanese,
  commandsIn,
  holdsQuestionWord,
  isJapanese,
  mayAddress,
  mayCommand,
  opensQuestion,
} from './asking.ts';
import { clausesOf, firstClauseOf, isPlain, longestRead, spokenText, wordsOf } from '../text/spoken-text.ts';
import * as table from './words/status.ts';

/** One of these phrases; in a text of plain letters no others can be. */
function anyOf(phrases: readonly string[]): (text: string) => boolean {
  const [all, plain] = [phrases, phrases.filter(isPlain)].map((some) => new RegExp(some.join('|')));
  return (text) => (isPlain(text) ? plain! : all!).test(text);
}
const saysNoAnswer = anyOf(table.noAnswer);
const saysWhere = anyOf(table.locationPhrases);
const states: ReadonlySet<string> = new Set(table.states);
const doubts: ReadonlySet<string> = new Set(table.doubts);

const level =
  /(?:^|\n)\W{0,4}(?:\[?(?:info|warn|warning|error|debug|trace|notice|fatal|bot|audit|fehler|erreur|hata|エラー)\]?)(?=[\s:\]\d]|$)/u;
const clock = /(?:^|\s)(?:\d{4}-\d\d-\d\d|\d\d?:\d\d(?::\d\d)?)(?=[\s,z]|$)/u;
const stack = /^\s*(?:at|en|à|à|file) \S+[:.]\S*\d|^file ▯|^traceback|(?:error|exception)$|^line \d+/u;
/** A count or a measure. */
const measure =
  /\d ?(?:%|ms|s|sec|sn|dk|min|m|h|gb|go|mb|mo|kb|ko|gib|mib|tb|days?|tage|jours|días|gün|kg|km|ton|l|°c|km\/h|km\/sa)(?![\p{L}])|\d ?%|%\d|\d ?[件個名人台枚本°]/u;
/** A step of so many, or a number that comes first: "3 removed", "0 échec". */
const counted = /^[+~]?\d[\d.,]*(?:[/ ](?:\d[\d.,]*)?|$)|\d+ ?\/ ?\d+|\b\d+ (?:of|von|sur|de) \d+\b/u;
/** One line of a log that is kept as JSON. */
const record = /^\s*\{\s*"(?:level|lvl|severity|ts|time|timestamp)"\s*:[^\n]*\}\s*$/u;
const shell = /^\$ \S|^\^c$/u;

/** Nothing to report. */
const nothing =
  /^(?:sin|ohne|sans|keine?|aucune?|without)(?: \p{L}+){1,3}$|^no (?:changes?|errors?|issues?|incidents?|news|failures?|warnings?)|(?:eksik|sorun|hata|arıza|değişiklik|soru|kayıp|gecikme) yok$/u;
/** "port 8080", "group 88". */
const numbered = /^\p{L}+ #?\d[\d.]*$/u;
/** A verb by its form: what was done, is being done, or is so. No list of them would be complete. */
const happened =
  /(?<!\p{L})(?:\p{L}{3,}ed|(?:now|falling|going|coming|taking|leaving|heading|working|moving|switching)(?= )|has been|(?:ab|an|auf|aus|ein|vor|zu|um|durch|zurück|hoch|her|hin|neu|weiter)?ge\p{L}{2,}(?:t|en)|(?:be|er|ver|zer|ent|über|unter)\p{L}{3,}t|\p{L}{3,}iert|wurde|wurden|\p{L}{2,}ée?s?|\p{L}{2,}[aií]d[oa]s?|\p{L}{2,}(?:[ıiuü]l|[ıiuü]n|nd|ld|t)?[dt][ıiuü]|\p{L}{2,}[ıiuü]yor|\p{L}{2,}[ae]ca[kğ]|\p{L}{2,}ece[kğ])(?!\p{L})|(?:ました|ています|中|済み?|予定)$/u;
/** The same in a clause of plain letters: there, no other alternative can fit. */
const happenedPlainly = new RegExp(happened.source.replaceAll('\\p{L}', '[a-z]'));
/** Within so many letters of its beginning. */
const longestLevel = 16;
/** Words before a colon up to which they are the name of what follows. */
const longestLabel = 6;

/** A fault: posted by a machine it is a line of its log, told by a person it may look for help. */
const fault =
  /(?<!\p{L})(?:down|failed|failing|fails|red|offline|unavailable|unreachable|outage|kaputt|rot|fehlgeschlagen|ausgefallen|rouge|échec|échoué|panne|rojo|fallida|fallido|falló|caída|caído|kırık|kırmızı|çöktü|düştü|arıza)(?!\p{L})|失敗|故障|異常停止|止まりました|壊れ/u;
const machine = /bot(?!\p{L})|robot|sentry|ボット|自動|automati|otomatik|log only|passed|durchgelaufen|pasado|geçti/u;

/** Sure that it is a status line or a log, and that nothing in it wants an answer. */
export function isStatus(text: string): boolean {
  if (text.length > longestRead) return false;
  if (record.test(text)) return true;
  const whole = spokenText(text);
  if (/[?¿؟❓❔⁉⁈⁇]/u.test(whole)) return false;
  const said = saysNoAnswer(whole) ? table.noAnswer.reduce((rest, phrase) => rest.replaceAll(phrase, ' ▯ '), whole) : whole;
  // An author who wants no answer only has to keep to it.
  const mustTell = said === whole && !isOfLog(whole);
  // Most messages are no status, and their first words show it.
  if (mustTell && isPlain(said) && !mayTell(firstClauseOf(said))) return false;
  const clauses = clausesOf(said);
  if (mustTell && !areTold(clauses)) return false;
  if (clauses.some(wants)) return false;
  return !clauses.some((clause) => fault.test(clause) && !/\d/u.test(clause)) || level.test(whole) || machine.test(whole);
}

/** A line that begins with its level is one of a log to its end. */
const isOfLog = (whole: string): boolean =>
  level.test(whole.slice(0, longestLevel)) && !whole.trim().includes('\n') && !/[.!] \p{L}/u.test(whole);

/** Something named, and nothing said of it yet. */
const names = (clause: string): boolean => isName(clause) || isLabel(clause);
const mayTell = (clause: string): boolean => clause === '' || tellsState(clause) || names(clause);

/** All of them, and one at least says something. */
function areTold(clauses: readonly string[]): boolean {
  let told = false;
  for (const clause of clauses) {
    if (tellsState(clause)) told = true;
    else if (!names(clause)) return false;
  }
  return told;
}

function wants(clause: string): boolean {
  if (isJapanese(clause)) return asksInJapanese(clause) || table.japaneseDoubts.test(clause);
  const words = wordsOf(clause);
  if (words.some((word) => doubts.has(word))) return true;
  if (words.some(mayAddress) && (addressesSomebody(clause) || holdsQuestionWord(clause))) return true;
  return opensQuestion(clause) || commandsIn(clause);
}

function tellsState(clause: string): boolean {
  if (wordsOf(clause).some((word) => states.has(word)) || saysWhere(clause)) return true;
  if (isJapanese(clause) && table.japaneseStates.test(clause)) return true;
  if (level.test(clause) || clock.test(clause) || stack.test(clause) || shell.test(clause)) return true;
  if ((isPlain(clause) ? happenedPlainly : happened).test(clause)) return true;
  // Numbers alone are weak: "scale 50 %" has one too.
  return !mayCommand(clause) && [measure, counted, numbered, nothing].some((shape) => shape.test(clause));
}

/** Something named and nothing said of it: `ci-bot`, `main @ 9c1e2`, a quotation. */
function isName(clause: string): boolean {
  const words = wordsOf(clause);
  return words.length <= 3 && !mayCommand(clause) && (words.length === 0 || words.some((word) => /[\d_/#@.-]/u.test(word)));
}

const isLabel = (clause: string): boolean => clause.endsWith(':') && !mayCommand(clause) && wordsOf(clause).length <= longestLabel;

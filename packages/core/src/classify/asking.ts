// Does a clause ask for something? What status.ts and question.ts share: the first wants to be sure that nothing does, the
// second that something may. By words and by the shape of a clause, as no list of verbs is complete.

import * as table from './words/asking.ts';
import { isPlain, wordsOf } from '../text/spoken-text.ts';

const set = (words: readonly string[]): ReadonlySet<string> => new Set(words);
const asking = set(table.askingWords);
const second = set(table.secondPerson);
const questions = set(table.questionWords);
const inverted = set(table.invertedVerbs);
const commands = set(table.commands);
const things = set(table.ambiguousCommands);
const lastCommands = set(table.lastCommands);
const objects = set(table.objects);
const opening = set(table.openers);

/** Spanish and French hang what is meant onto the verb: mándame, reábrela, envoie-moi, classe-les. */
const clitic =
  /^[a-zñ]*[áéíóú][a-zñ]*(?:me|melo|mela|nos|lo|la|los|las|le|les)$|^\p{L}+-(?:moi|nous|le|la|les|lui|leur|toi)$|^(?:dame|dime|ponme|hazme|hazlo|ponlo|dale)$/u;
/** First words after which an object makes no command: prepositions, auxiliaries, subjects. */
// prettier-ignore
const harmless = set([
  'is', 'was', 'are', 'were', 'be', 'been', 'on', 'in', 'at', 'of', 'for', 'from', 'to', 'by', 'with', 'without', 'after', 'before', 'since', 'until', 'till', 'during', 'over', 'under', 'into', 'all', 'both', 'half', 'as', 'and', 'that', 'this', 'there', 'here', 'what', 'not',
  'i', 'we', 'he', 'she', 'they', 'it', 'has', 'have', 'had', 'will', 'because', 'while', 'when', 'than', 'like', 'per', 'via', 'about', 'only', 'now', 'back', 'done', 'said', 'says', 'maybe', 'perhaps', 'vielleicht', 'peut-être', 'quizá', 'quizás', 'belki',
  'ist', 'war', 'auf', 'an', 'bei', 'für', 'von', 'mit', 'ohne', 'nach', 'vor', 'seit', 'bis', 'durch', 'über', 'unter', 'um', 'ab', 'zu', 'aus', 'gegen', 'dass', 'weil', 'ich', 'wir', 'er', 'sie', 'es', 'hat', 'hab', 'habe', 'wurde', 'alle', 'das', 'die', 'der', 'laut', 'am', 'im', 'zum', 'zur',
  'est', 'a', 'à', 'de', 'du', 'des', 'dans', 'sur', 'sous', 'pour', 'par', 'avec', 'sans', 'après', 'avant', 'depuis', 'pendant', 'chez', 'vers', 'en', 'entre', 'tout', 'toute', 'tous', 'toutes', 'on', 'il', 'elle', 'je', 'ils', "c'est", "c'était", 'parce', 'que', 'selon', 'et', 'le', 'la', 'les',
  'es', 'era', 'con', 'sin', 'tras', 'desde', 'hasta', 'por', 'según', 'todo', 'toda', 'todos', 'todas', 'ya', 'ha', 'han', 'he', 'yo', 'él', 'ella', 'sobre', 'entre', 'y', 'el', 'los', 'las', 'se', 'como', 'publicada', 'publicado',
  'waren', 'sind', 'wird', 'werden', 'hatte', 'était', 'étaient', 'sont', 'sera', 'avait', 'fue', 'eran', 'está', 'estaba', 'había', 'prefiero', 'tengo', 'veo', 'dejo', 'pongo', 'llevo', 'hago', 'subo', 'mando', 'cierro', 'compro', 'leo', 'preparo', 'went', 'came', 'took', 'gave', 'found', 'got', 'kept', 'made', 'sent', 'left',
]);
const past = /(?:ed|ing|ly)$/u;
/** French says with "a" what somebody has done: "Farid a fusionné". */
const participle = /é(?:e|s|es)?$|^(?:été|fait|fini|mis|pris|dit|eu|ouvert|reçu|vu|rendu|répondu|remis|repris)$/u;

/** The words of a clause from the first that is not just an opener. */
export function afterOpeners(clause: string): readonly string[] {
  const words = wordsOf(clause);
  const at = words.findIndex((word) => !opening.has(word));
  return at === -1 ? [] : words.slice(at);
}

/** The clause orders somebody to do something. */
export function commandsIn(clause: string): boolean {
  const words = afterOpeners(clause);
  const [first, next] = words;
  if (first === undefined) return false;
  if (clitic.test(first) || lastCommands.has(words.at(-1)!)) return true;
  const onto = next !== undefined && (objects.has(next) || next.startsWith("l'")) && !(next === 'a' && participle.test(words[2] ?? ''));
  if (commands.has(first)) return !things.has(first) || words.length === 1 || onto;
  return onto && !harmless.has(first) && !questions.has(first) && !past.test(first) && /^\p{L}+$/u.test(first);
}

/** French has a "du" of its own. */
const french =
  /[éèêçàœ]|(?:^|\s)(?:le|la|les|de|des|au|aux|est|un|une)\s|\s(?:build|disque|serveur|service|cache|jour|soir|matin)(?:\s|$)/u;

const telling = new Set([...asking, ...second, ...questions, 'du', 'ton']);
/** Without one of these words it addresses nobody and holds no question word: one look instead of three. */
export const mayAddress = (word: string): boolean => telling.has(word);

/** A word of asking, or somebody spoken to. */
export function addressesSomebody(clause: string): boolean {
  const words = wordsOf(clause);
  return words.some((word, at) => {
    if (word === 'du') return at === 0 || !french.test(clause);
    // Forty tons.
    if (word === 'ton') return !/^\d/u.test(words[at - 1] ?? '');
    return asking.has(word) || second.has(word);
  });
}

/** A question by its first word. */
export function opensQuestion(clause: string): boolean {
  const [first] = afterOpeners(clause);
  return first !== undefined && (questions.has(first) || inverted.has(first));
}

/** They ask in one language and only join in another, or are its "was" or "not": of use as a first word only. */
const joining = set(['was', 'que', 'qui', 'ne', 'y', 'wie', 'comment']);

/** A question word anywhere. */
export const holdsQuestionWord = (clause: string): boolean => wordsOf(clause).some((word) => questions.has(word) && !joining.has(word));

/** Its first word may be a command, if nothing else speaks against it. */
export const mayCommand = (clause: string): boolean => commands.has(afterOpeners(clause)[0] ?? '');

const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
export const isJapanese = (clause: string): boolean => !isPlain(clause) && japanese.test(clause);
export const asksInJapanese = (clause: string): boolean => table.japaneseEnds.test(clause) || table.japaneseWords.test(clause);

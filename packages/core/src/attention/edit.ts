// A message is edited after it was heard (C2A-25 … C2A-28): what that means for each agent, and whether a turn that is
// under way may still be begun again.

import { foldText } from '../text/spoken-text.ts';

/** How an agent stood to the message when it was edited. `request`: its open task was asked for by it; `word`: it is part of one. */
export type Had = 'nothing' | 'request' | 'word' | 'over';

export interface Edit {
  /** Whether the text before the edit would call it, and whether the new one does. */
  before: boolean;
  now: boolean;
  had: Had;
  changed: Changed;
}

/** `nothing`: case, spaces and full stops only. `spelling`: known misspellings were corrected, too. */
export type Changed = 'nothing' | 'spelling' | 'meaning';

export type AfterEdit =
  | 'open' // it is called now, and was not: a task
  | 'again' // it has answered already, and may look at it again: a task marked as an edit
  | 'correct' // it is at it: with the new text from now on
  | 'keep' // it is at it, and nothing it could mind has changed
  | 'cancel' // it is no longer called, and has not answered yet
  | 'take_out' // what was said is no longer part of its task
  | 'nothing';

/** The first line that fits decides. */
export function afterEdit({ before, now, had, changed }: Edit): AfterEdit {
  if (had === 'request' && !now) return 'cancel';
  if (had === 'word' && !now) return 'take_out';
  if (had === 'request' || had === 'word') return changed === 'nothing' ? 'keep' : 'correct';
  if (!now) return 'nothing';
  if (!before) return 'open';
  return had === 'over' && changed === 'meaning' ? 'again' : 'nothing';
}

/** At the end of a word: full stops and the like. A question mark asks, and what stands inside a name or a number is part of it. */
const marks = /(?<=[\p{L}\p{N}?？])[.,;:!…。、！"”’]+(?=\s|$)/gu;

const code = /[`<>{}\t]|^ {4}/mu;

/** The change that an edit makes. In code every sign counts; when unsure, it is the meaning. */
export function changedBy(before: string, after: string): Changed {
  if (code.test(before) || code.test(after)) return before.trimEnd() === after.trimEnd() ? 'nothing' : 'meaning';
  const [old, now] = [wordsIn(before), wordsIn(after)];
  if (old.join(' ') === now.join(' ')) return 'nothing';
  const isSpelling = old.length === now.length && old.every((word, at) => word === now[at] || isCorrection(word, now[at]!));
  return isSpelling ? 'spelling' : 'meaning';
}

/** A question mark is a word of its own: it says something. */
const wordsIn = (text: string): string[] =>
  foldText(text)
    .replaceAll(marks, '')
    .replaceAll(/(?<=\p{L})[?？]+(?=\s|$)/gu, ' $&')
    .split(/\s+/u)
    .filter(Boolean);

/** A step of a turn, as its journal has it. */
export interface TakenStep {
  kind: 'model' | 'tool';
  readOnly: boolean;
}

/**
 * Whether a turn has had an effect outside: it said something, or began a step that changes something. Before that it can start
 * over without a trace; afterwards the agent gets the change as a new message.
 */
export const hasActed = (steps: readonly TakenStep[], said = 0): boolean =>
  said > 0 || steps.some(({ kind, readOnly }) => kind === 'tool' && !readOnly);

// Is one word the correction of another? Sure only where the old one is no word: whatever is a word, or could be a name, may
// have been meant.

// prettier-ignore
/** `wrong right`. A plural s may follow both. */
const slips: readonly string[] = [
  'teh the', 'hte the', 'adn and', 'taht that', 'thta that', 'waht what', 'hwat what', 'wiht with', 'wtih with', 'thsi this', 'tihs this', 'jsut just', 'ahve have', 'hvae have', 'whcih which', 'wehn when', 'thier their', 'tehre there', 'tehy they', 'becuase because', 'becasue because', 'becouse because', 'beacuse because', 'abotu about', 'baout about', 'wuold would', 'woudl would', 'shoudl should', 'coudl could', 'peopel people', 'poeple people', 'knwo know', 'konw know', 'liek like', 'lsit list', 'fidn find', 'shwo show', 'cehck check', 'chekc check', 'plase please', 'pelase please', 'pleae please', 'plese please', 'thnaks thanks', 'tahnks thanks', 'yuo you', 'yoru your', 'yuor your', 'oyur your', 'frmo from', 'fomr from', 'tiem time', 'wokr work', 'wrok work', 'owrk work',
  'recieve receive', 'recieved received', 'reciept receipt', 'acheive achieve', 'beleive believe', 'wierd weird', 'freind friend', 'seperate separate', 'seperated separated', 'seperately separately', 'definately definitely', 'definitly definitely', 'occured occurred', 'occurence occurrence', 'occuring occurring', 'refered referred', 'prefered preferred', 'transfered transferred', 'adress address', 'adresses addresses', 'adressed addressed', 'accomodate accommodate', 'accomodation accommodation', 'calender calendar', 'wheather weather', 'managment management', 'goverment government', 'enviroment environment', 'develope develop', 'developement development', 'dependancy dependency', 'depencency dependency', 'independant independent', 'existant existent', 'consistant consistent', 'relevent relevant', 'apparant apparent', 'neccessary necessary', 'necesary necessary', 'succesful successful', 'successfull successful', 'sucessful successful', 'succesfully successfully', 'sucess success', 'untill until', 'tommorow tomorrow', 'tommorrow tomorrow', 'tomorow tomorrow', 'wensday wednesday', 'wednsday wednesday', 'firday friday', 'febuary february', 'begining beginning', 'comming coming', 'writting writing', 'runing running', 'stoping stopping', 'commited committed', 'commiting committing', 'comitted committed', 'commitee committee', 'recomend recommend', 'reccomend recommend', 'recomended recommended', 'buisness business', 'bussiness business', 'libary library', 'maintainance maintenance', 'maintenence maintenance', 'performace performance', 'perfomance performance', 'messege message', 'mesage message', 'lenght length', 'heigth height', 'widht width', 'rigth right', 'langauge language', 'garantee guarantee', 'gaurantee guarantee', 'priviledge privilege', 'schedual schedule', 'shedule schedule', 'sumary summary', 'similiar similar', 'simular similar', 'particulary particularly', 'publically publicly', 'questionaire questionnaire', 'grammer grammar', 'excercise exercise', 'experiance experience', 'explaination explanation', 'familar familiar', 'finaly finally', 'foriegn foreign', 'immediatly immediately', 'imediately immediately', 'intresting interesting', 'knowlege knowledge', 'liason liaison', 'noticable noticeable', 'persistant persistent', 'posession possession', 'possition position', 'realy really', 'resturant restaurant', 'restaraunt restaurant', 'suprise surprise', 'truely truly', 'unfortunatly unfortunately', 'usualy usually', 'vaccum vacuum', 'whitch which',
  'staus status', 'stauts status', 'sattus status', 'reprot report', 'repotr report', 'deplyo deploy', 'depoly deploy', 'dpeloy deploy', 'delpoy deploy', 'servre server', 'databse database', 'datbase database', 'databaes database', 'backpu backup', 'confg config', 'cofnig config', 'conifg config', 'verison version', 'vesrion version', 'relase release', 'realease release', 'relaese release', 'reqeust request', 'reuqest request', 'respone response', 'repsonse response', 'reponse response', 'udpate update', 'upadte update', 'restat restart', 'restrat restart', 'brnach branch', 'pasword password', 'passowrd password', 'calcuate calculate', 'analize analyze', 'analyis analysis', 'anlysis analysis', 'invocie invoice', 'invioce invoice', 'custmer customer', 'cutomer customer', 'meetign meeting', 'chnage change', 'cahnge change', 'numebr number', 'nubmer number', 'avialable available', 'availble available', 'avaliable available', 'availabe available',
  "dont don't", "doesnt doesn't", "isnt isn't", "wasnt wasn't", "didnt didn't", "couldnt couldn't", "shouldnt shouldn't", "wouldnt wouldn't", "havent haven't", "hasnt hasn't", "arent aren't", "youre you're", "theyre they're", "whats what's", "thats that's", "ive i've",
  'nciht nicht', 'nihct nicht', 'udn und', 'odre oder', 'dsa das', 'standart standard', 'agressiv aggressiv', 'entgültig endgültig', 'wiederspruch widerspruch', 'vorraus voraus', 'warscheinlich wahrscheinlich', 'ziehmlich ziemlich', 'terminn termin',
];
const corrections: ReadonlySet<string> = new Set(slips);
const singular = (word: string): string => word.replace(/s$/u, '');

/** In this direction only: a wrong word that takes the place of a right one says that it was meant. */
const isCorrection = (from: string, to: string): boolean =>
  corrections.has(`${from} ${to}`) || (from.endsWith('s') && to.endsWith('s') && corrections.has(`${singular(from)} ${singular(to)}`));

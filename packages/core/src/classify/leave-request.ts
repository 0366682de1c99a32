// Finds requests to leave (C2A-16): to this agent, for the thread, channel or conversation in which they are said. Silencing an agent
// by mistake is worse than being asked twice, so a clause counts only if it means nothing else and addresses the agent.

import { english } from './words/english.ts';
import { french } from './words/french.ts';
import { chinese, dutch, italian, polish, portuguese, russian } from './words/further-languages.ts';
import { german } from './words/german.ts';
import { japanese } from './words/japanese.ts';
import { aboutOthers, notNow } from './words/leave-request.ts';
import { spanish } from './words/spanish.ts';
import { turkish } from './words/turkish.ts';
import { clausePattern, courtesies, patternOf } from '../text/phrases.ts';
import { clausesOf, isPlain, isSpokenTo, saidTo, spokenText } from '../text/spoken-text.ts';

/** A longer text is about more than leaving. */
const longestText = 300;

/** V8 compiles a pattern when it first runs: for a text this long to machine code at once, which takes a fifth of the time. */
const longText = ' '.repeat(1000);

function compile() {
  const clausePatterns = [english, german, french, spanish, turkish, italian, portuguese, dutch, polish, russian].map(clausePattern);
  for (const pattern of clausePatterns) pattern.test(longText);
  return {
    clausePatterns,
    sentencePatterns: [
      patternOf(String.raw`{before}{phrases}[\s!。]*(、.{0,40})?$`, japanese),
      patternOf(`^{before}${courtesies}{phrases}{after}${courtesies}$`, chinese),
    ],
    aboutOthersPattern: patternOf(String.raw`(?<!\p{L}){words}(?!\p{L})|{japanese}`, aboutOthers),
    notNowPattern: patternOf(String.raw`^{conditions}(?!\p{L})|(?<!\p{L}){speech}(?!\p{L})`, notNow),
  };
}

let compiled: ReturnType<typeof compile> | undefined;
/** A hub compiles the patterns when it starts, so that no message waits for them. */
export const leavingPatterns = (): ReturnType<typeof compile> => (compiled ??= compile());

export function asksToLeave(text: string, handle: string): boolean {
  if (text.length > longestText) return false;
  const said = spokenText(text);
  if (!isSpokenTo(said, handle)) return false;
  const toAgent = saidTo(said, handle);
  const { clausePatterns, sentencePatterns, aboutOthersPattern, notNowPattern } = leavingPatterns();
  if (aboutOthersPattern.test(toAgent)) return false;
  if (sentencePatterns.some((pattern) => pattern.test(toAgent))) return true;
  const clauses = clausesOf(toAgent);
  const isRequest = (clause: string): boolean =>
    !isOneWordQuestion(clause) && clausePatterns.some((pattern) => pattern.test(withoutPunctuation(clause)));
  const changesMeaning = (clause: string): boolean => !isAboutSpeaker(clause) && (notNowPattern.test(clause) || isText(clause));
  const requestAt = clauses.findIndex(isRequest);
  return requestAt !== -1 && !clauses.slice(0, requestAt).some(changesMeaning);
}

/** The handle in `/leave ^ORAC`; undefined if the text says anything else. */
export const leaveCommand = (text: string): string | undefined =>
  !text.includes('/') ? undefined : /^\/leave\s+[\^@]([a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)$/iu.exec(text.trim())?.[1];

/** Whether the text sends the agent away, by the command or in plain words. */
export const isSentAway = (text: string, handle: string): boolean =>
  leaveCommand(text)?.toLowerCase() === handle.toLowerCase() || asksToLeave(text, handle);

const isOneWordQuestion = (clause: string): boolean => /^\S+ ?\?$/u.test(clause);

const isAboutSpeaker = (clause: string): boolean => clause.startsWith('i ');

/** "translate: …", "write to Tom: …", in any language */
const isText = (clause: string): boolean => clause.endsWith(':');

const withoutPunctuation = (clause: string): string =>
  clause
    .replaceAll(isPlain(clause) ? /[^a-z0-9'?▯ -]/g : /[^\p{L}\p{N}'?¿▯ -]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

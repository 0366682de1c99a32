// Asked to leave (C2A-16): a request to this agent to leave the thread, channel or conversation it was said in. Silencing
// an agent that was asked for something else is worse than being asked twice, so that only whole clauses count that mean
// nothing else, and only where the agent is spoken to and not of.

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

/** Beyond this it is about more than leaving. */
const longestText = 300;

/** V8 compiles a pattern when it first runs: for a text this long to machine code at once, which takes a fifth of the time. */
const longText = ' '.repeat(1000);

function compile() {
  const whole = [english, german, french, spanish, turkish, italian, portuguese, dutch, polish, russian].map(clausePattern);
  for (const pattern of whole) pattern.test(longText);
  return {
    whole,
    sentence: [
      patternOf(String.raw`{before}{phrases}[\s!。]*(、.{0,40})?$`, japanese),
      patternOf(`^{before}${courtesies}{phrases}{after}${courtesies}$`, chinese),
    ],
    others: patternOf(String.raw`(?<!\p{L}){words}(?!\p{L})|{japanese}`, aboutOthers),
    later: patternOf(String.raw`^{conditions}(?!\p{L})|(?<!\p{L}){speech}(?!\p{L})`, notNow),
  };
}

let compiled: ReturnType<typeof compile> | undefined;
/** A hub asks for the patterns before anybody waits for them. */
export const leavingPatterns = (): ReturnType<typeof compile> => (compiled ??= compile());

export function asksToLeave(text: string, handle: string): boolean {
  if (text.length > longestText) return false;
  const said = spokenText(text);
  if (!isSpokenTo(said, handle)) return false;
  const rest = saidTo(said, handle);
  const { whole, sentence, others, later } = leavingPatterns();
  if (others.test(rest)) return false;
  if (sentence.some((pattern) => pattern.test(rest))) return true;
  const clauses = clausesOf(rest);
  const isLeaving = (clause: string): boolean => whole.some((pattern) => pattern.test(clause));
  const at = clauses.findIndex((clause) => !/^\S+ ?\?$/u.test(clause) && isLeaving(bare(clause)));
  return at !== -1 && !clauses.slice(0, at).some((clause) => /^(?!i )/u.test(clause) && (later.test(clause) || isText(clause)));
}

/** `/leave ^ORAC`, and nothing else: the handle in it. */
export const leaveCommand = (text: string): string | undefined =>
  !text.includes('/') ? undefined : /^\/leave\s+[\^@]([a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)$/iu.exec(text.trim())?.[1];

/** By the command, or in plain words. */
export const isSentAway = (text: string, handle: string): boolean =>
  leaveCommand(text)?.toLowerCase() === handle.toLowerCase() || asksToLeave(text, handle);

/** Once, within this time, it may say goodbye: the only word of an agent that needs no task (PAP-1). */
export const goodbyeMs = 60_000;
export const longestGoodbye = 300;
/** What an agent inside the hub says. */
export const goodbye = 'All right, I am leaving. Call me by name and I am back.';

export const maySayGoodbye = (leave: { at: number; said: boolean }, now: number): boolean => !leave.said && now <= leave.at + goodbyeMs;

/** "translate: …", "write to Tom: …", in any language */
const isText = (clause: string): boolean => clause.endsWith(':');

const bare = (clause: string): string =>
  clause
    .replaceAll(isPlain(clause) ? /[^a-z0-9'?▯ -]/g : /[^\p{L}\p{N}'?¿▯ -]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

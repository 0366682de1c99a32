// Asked to leave (C2A-16): a request to this agent to leave the thread, channel or conversation it was said in. Silencing
// an agent that was asked for something else is worse than being asked twice, so that only whole clauses count that mean
// nothing else, and only where the agent is spoken to and not of.

import { aboutOthers, leavesBy, leavingJapanese, mayLeave, notNow } from './words/leave-request.ts';
import { leavingChinese } from './words/leave-request-languages.ts';
import { clausesOf, isPlain, isSpokenTo, saidTo, spokenText } from '../text/spoken-text.ts';

/** Beyond this it is about more than leaving. */
const longestText = 300;

export function asksToLeave(text: string, handle: string): boolean {
  if (text.length > longestText) return false;
  // Speech is part of the text: mostly there is nothing of the kind in either. A backtick may be an apostrophe.
  if (isPlain(text) && !text.includes('`') && !mayLeave(text.toLowerCase())) return false;
  const said = spokenText(text);
  if (!isSpokenTo(said, handle)) return false;
  const rest = saidTo(said, handle);
  if (aboutOthers.test(rest)) return false;
  if (leavingJapanese.test(rest) || leavingChinese.test(rest)) return true;
  const clauses = clausesOf(rest);
  const at = clauses.findIndex((clause) => !/^\S+ ?\?$/u.test(clause) && isLeaving(clause));
  return at !== -1 && !clauses.slice(0, at).some((clause) => /^(?!i )/u.test(clause) && (notNow.test(clause) || isText(clause)));
}

function isLeaving(clause: string): boolean {
  let plain: string | undefined;
  return leavesBy(clause, (whole) => whole.test((plain ??= bare(clause))));
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

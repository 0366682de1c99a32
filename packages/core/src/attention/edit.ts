// A message is edited after it was heard (C2A-25 … C2A-28): what that means for each agent, and whether a turn that is
// under way may still be begun again.

import { isCorrection } from '../text/corrections.ts';
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
